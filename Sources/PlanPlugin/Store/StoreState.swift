import AccountModel
import RPCShell

/// How far the plan block is with its store: what was read, what waits for that, what is to be written.
struct StoreState {
  /// What came of the newest look at the account.
  enum Reading {
    case never, done
    case failed(StoreFailure)
  }

  var reading = Reading.never
  /// The store is being read.
  var isLoading = false
  /// It changed since it was read.
  var isReloadDue = false
  /// Its changes are reported.
  var isWatched = false
  /// Waits for a second look, while another session is at work.
  var secondLook: Task<Void, Never>?
  /// Calls that came before the account was there, in order.
  var waiting: [WaitingCall] = []
  /// Calls that have begun meanwhile, for their tasks to pick up.
  var begun: [(number: Int, reply: Result<Route.Reply, RPCError>)] = []
  /// What is to be written, oldest first. The first is being written where ``writing`` says so; else it could not be.
  var unwritten: [StoreWrite] = []
  var writing: Task<Void, Never>?
  /// Rises with each write: what was read before it is old.
  var generation = 0
  /// Why the newest write failed; nil once one succeeds.
  var writeFailure: StoreFailure?
  /// Keys of what waits for somebody's approval, by action.
  var pending: [HostAction: String] = [:]
  /// One for each action at most.
  private var attempts: [OpenAttempt] = []

  var isRead: Bool {
    if case .done = reading { true } else { false }
  }

  var failure: StoreFailure? {
    if case .failed(let failure) = reading { failure } else { nil }
  }

  /// The attempt that the next one at the same action goes on with.
  subscript(open action: PlanAction) -> OpenAttempt? {
    get { attempts.first { $0.intent.action == action.hostAction } }
    set {
      attempts.removeAll { $0.intent.action == action.hostAction }
      if let newValue { attempts.append(newValue) }
    }
  }

  /// Whether the end of an action is not on disk.
  func isUnwritten(_ key: String) -> Bool { unwritten.contains { $0.key?.isExactly(key) ?? false } }
}

/// A call that waits until the account is there.
struct WaitingCall {
  let number: Int
  /// The method's last part.
  let name: String
  let stop: StopSignal
  let begin: PlanPlugin.Beginning
  /// nil until its task waits.
  var caller: CheckedContinuation<Result<Route.Reply, RPCError>, Never>?

  /// Its answer where it was told to stop.
  func stopped(_ reason: StopReason) -> RPCError {
    .stopped(reason, seconds: nil, data: [RPCError.Member("action", .string(name))])
  }
}

/// Something that the store is to keep.
enum StoreWrite {
  case end(String, IntentOutcome)
  case keep(PlanUsage, asOf: DateValue?)

  /// Of the action whose end it is.
  var key: String? {
    if case .end(let key, _) = self { key } else { nil }
  }

  /// Whether it brings a plan, so that older ones need not be kept any more.
  var hasPlan: Bool {
    switch self {
    case .end(_, let outcome): outcome.plan != nil
    case .keep: true
    }
  }
}
