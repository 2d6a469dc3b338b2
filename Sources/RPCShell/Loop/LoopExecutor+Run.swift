extension LoopExecutor {
  /// Runs something asynchronous to its end, for commands that are no session.
  ///
  /// The calling thread becomes the owner, and waits.
  package func run<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
    bind()
    let result = Locked<Value?>(nil)
    Task(executorPreference: self) {
      let value = await body()
      result.withLock { $0 = value }
    }
    var set = PollSet()
    while true {
      runJobs()
      if let value = result.withLock({ $0 }) { return value }
      wait(for: &set, isBusy: false)
    }
  }
}
