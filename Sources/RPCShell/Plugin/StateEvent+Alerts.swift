extension StateEvent {
  /// A threshold that a figure has passed, for somebody who asked to be told.
  public struct Alert: Equatable, Sendable {
    /// The figure's id.
    public var meter: String
    /// A JSON number or string, as it was asked for.
    public var threshold: JSONText

    public init(meter: String, threshold: JSONText) {
      self.meter = meter
      self.threshold = threshold
    }

    func write(to list: inout JSONWriter) {
      list.object { alert in
        alert.member("meter", meter)
        alert.member("threshold", threshold)
      }
    }
  }
}

extension [StateEvent.Alert] {
  /// Adds newer ones: the newest of each meter counts. Within a period that is the highest, since they only rise there;
  /// after its end the older one tells of what is over.
  public mutating func absorb(_ newer: [StateEvent.Alert]) {
    let named = Set(newer.map { ExactText($0.meter) })
    if !named.isEmpty { removeAll { named.contains(ExactText($0.meter)) } }
    self += newer
  }
}
