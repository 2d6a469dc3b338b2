/// The calls that run and have not been answered: bookkeeping only, no I/O.
struct PendingCalls {
  struct Call {
    let method: String
    /// nil for a notification.
    let id: RequestID?
    let framing: Framing
    let batch: Batch?
    let stop: StopSignal
    var task: Task<Void, Never>?
    /// Who works on it, where that is somewhere else.
    var remote: (any RemotePlugin)?
  }

  private var calls = Dictionary<Int, Call>()
  private var serials = Dictionary<RequestID, Int>()
  private var lastSerial = 0

  var isEmpty: Bool { calls.isEmpty }
  var count: Int { calls.count }

  /// Whether a request with this id is unanswered.
  func contains(_ id: RequestID) -> Bool { serials[id] != nil }

  /// - Returns: the serial number by which the call is known from now on.
  mutating func add(_ call: Call) -> Int {
    lastSerial += 1
    calls[lastSerial] = call
    if let id = call.id { serials[id] = lastSerial }
    return lastSerial
  }

  mutating func setTask(_ task: Task<Void, Never>, of serial: Int) { calls[serial]?.task = task }

  /// Takes out a call that is being answered; nil when it was answered before.
  mutating func complete(_ serial: Int) -> Call? {
    guard let call = calls.removeValue(forKey: serial) else { return nil }
    if let id = call.id { serials[id] = nil }
    return call
  }

  /// Tells the request with this id to stop. Its answer comes when it has.
  func stop(_ id: RequestID, _ reason: StopReason) {
    if let serial = serials[id] { calls[serial]?.stop(reason, serial) }
  }

  /// Why a call was told to stop, if it was.
  func stopReason(of serial: Int) -> StopReason? { calls[serial]?.stop.reason }

  /// Tells every call to stop, oldest first.
  func stopAll(_ reason: StopReason) {
    for serial in calls.keys.sorted() { calls[serial]?.stop(reason, serial) }
  }

  /// What a call does: its method's name without the plugin's.
  func action(of serial: Int) -> String? {
    calls[serial].map { call in call.method.split(separator: ".").last.map { String($0) } ?? call.method }
  }

  /// The serial numbers of all calls, oldest first.
  var serialsInOrder: [Int] { calls.keys.sorted() }
}

extension PendingCalls.Call {
  fileprivate func stop(_ reason: StopReason, _ serial: Int) {
    stop.set(reason)
    task?.cancel()
    if let remote { Self.stop(serial, at: remote) }
  }

  private static func stop(_ serial: Int, at plugin: some RemotePlugin) {
    plugin.assumeIsolated { $0.stop(ForwardedCall.ID(serial: serial)) }
  }
}
