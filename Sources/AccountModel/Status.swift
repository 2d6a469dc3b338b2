public import RPCShell

/// Where a plan stands.
public enum Status: Sendable, Equatable, JSONWritable {
  case renews(DateValue)
  /// A free trial up to a date.
  case trial(DateValue)
  /// Cancelled, and still there up to a date.
  case ends(DateValue)
  /// A payment failed; it can be made up for until a date.
  case paymentIssue(DateValue)
  /// Free, or bought once.
  case noRenewal

  /// The date that belongs to it.
  public var date: DateValue? {
    switch self {
    case .renews(let date), .trial(let date), .ends(let date), .paymentIssue(let date): date
    case .noRenewal: nil
    }
  }

  /// The same standing with another date; one without a date stays as it is.
  public func dated(_ date: DateValue) -> Status {
    switch self {
    case .renews: .renews(date)
    case .trial: .trial(date)
    case .ends: .ends(date)
    case .paymentIssue: .paymentIssue(date)
    case .noRenewal: .noRenewal
    }
  }

  static let schema: Schema =
    Schema.oneOf([
      [.required("renews", DateValue.schema)],
      [.required("trial", DateValue.schema)],
      [.required("ends", DateValue.schema)],
      [.required("paymentIssue", DateValue.schema)],
      [.required("noRenewal", .checked(.boolean, expected: "true") { $0.bool == true })],
    ])

  /// - Parameter view: was checked with ``schema``.
  init(validated view: JSONView) {
    func date(_ tag: StaticString) -> DateValue? { view[tag].map { DateValue(validated: $0) } }
    if let date = date("renews") {
      self = .renews(date)
    } else if let date = date("trial") {
      self = .trial(date)
    } else if let date = date("ends") {
      self = .ends(date)
    } else if let date = date("paymentIssue") {
      self = .paymentIssue(date)
    } else {
      self = .noRenewal
    }
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { status in
      switch self {
      case .renews(let date): status.member("renews", date)
      case .trial(let date): status.member("trial", date)
      case .ends(let date): status.member("ends", date)
      case .paymentIssue(let date): status.member("paymentIssue", date)
      case .noRenewal: status.member("noRenewal", true)
      }
    }
  }
}
