private import Synchronization

/// What a method knows about the call that it serves.
public struct CallContext: Sendable {
  /// The request's id; nil for a notification.
  public let requestID: RequestID?
  /// Reports progress where the caller gave a `workDoneToken`; does nothing elsewhere.
  public let progress: ProgressReporter
  /// Why the call is being stopped, once it is.
  public let stop: StopSignal

  init(requestID: RequestID?, progress: ProgressReporter, stop: StopSignal) {
    self.requestID = requestID
    self.progress = progress
    self.stop = stop
  }

  /// For what a plugin does by itself.
  public init(of host: PluginHost) {
    self.init(requestID: nil, progress: ProgressReporter(token: nil, host: host), stop: StopSignal())
  }
}

/// Why a running action is told to stop.
public enum StopReason: UInt8, Sendable {
  /// `$/cancelRequest`
  case cancelled = 1
  /// Its time limit is over.
  case timeLimit
  /// The session ends.
  case drained
}

/// Carries the reason to an action's task, which is then cancelled. The first reason stays.
public final class StopSignal: Sendable {
  private let value = Atomic<UInt8>(0)

  public init() {}

  public var reason: StopReason? { StopReason(rawValue: value.load(ordering: .acquiring)) }

  /// - Returns: whether this was the first reason.
  @discardableResult
  public func set(_ reason: StopReason) -> Bool {
    value.compareExchange(expected: 0, desired: reason.rawValue, ordering: .acquiringAndReleasing).exchanged
  }
}

/// Sends `$/progress` for one call (LSP, work done progress): one begin, reports, one end, all before the reply.
public struct ProgressReporter: Sendable {
  /// The caller's `workDoneToken`; nil where it gave none.
  public let token: JSONText?
  let host: PluginHost

  /// - Parameter title: what is being done, for the person.
  public func begin(title: String, isCancellable: Bool = true) {
    send { value in
      value.member("kind", "begin")
      value.member("title", title)
      value.member("cancellable", isCancellable)
      value.member("percentage", 0)
    }
  }

  /// - Parameter fraction: 0 … 1 (anything beyond is cut off); nil where nobody knows.
  public func report(fraction: Double?, message: String?) {
    send { value in
      value.member("kind", "report")
      if let message { value.member("message", message) }
      if let fraction, fraction.isFinite { value.member("percentage", Int(min(max(fraction, 0), 1) * 100 + 0.5)) }
    }
  }

  public func end() {
    send { $0.member("kind", "end") }
  }

  private func send(_ value: (inout JSONWriter) -> Void) {
    guard let token else { return }
    let params = JSONText { writer in
      writer.object { members in
        members.member("token", token)
        members.key("value")
        members.object(value)
      }
    }
    host.notify("$/progress", params)
  }
}
