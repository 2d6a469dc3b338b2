import CLinux
import Glibc

/// How far a session has come.
struct Life {
  var isInitialized = false
  /// After `shutdown`, requests are refused.
  var isShutDown = false
  /// No more input is read.
  var isInputOver = false
  /// `exit` came: what was read behind it is not served.
  var isExiting = false
  /// A second signal: nothing is waited for.
  var isAborted = false
  /// All is answered, and the plugins were told so.
  var hasEndedPlugins = false
  var wasInterrupted = false
  /// The time that the end may take is over.
  var isOverdue = false
  /// How much the reader had taken when it was last found not to read: until it takes more, it is cut off.
  var takenWhenStuck: Int?
  /// Something was refused, failed, cut short or cut off.
  var hasFailed = false
  /// What the end of output or `exit` says, whatever else happened.
  var fixedStatus: ExitStatus?
  /// The process whose death ends the session (a pidfd).
  var hostProcess: Int32?
}

/// The end of a session: end of input, signals, `exit`, a reader that went away (docs/PROTOCOL.md, "The life of a session").
extension Session {
  /// End of input is a half-close: everything accepted is finished and answered.
  func endInput() {
    guard !life.isInputOver else { return }
    life.isInputOver = true
    decoder.finish()
    if !life.isExiting { receiveAll() }
    endHostCallsAfterInput()
    settlePlugins()
    if let drain = options.drain ?? dialect.drain { bound(by: drain) }
  }

  func settlePlugins() {
    for plugin in plugins { settle(plugin) }
  }

  private func settle(_ plugin: some Plugin) {
    plugin.assumeIsolated { $0.settle() }
  }

  /// SIGTERM or SIGINT: like the end of input, with a bound; a second one ends at once.
  func interrupt() {
    var info = signalfd_siginfo()
    while let descriptor = options.interrupts, read(descriptor, &info, MemoryLayout.size(ofValue: info)) > 0 {
      if life.wasInterrupted { life.isAborted = true }
      life.wasInterrupted = true
    }
    guard life.wasInterrupted else { return }
    readWhatArrived()
    endInput()
    if options.cancelsWhenInterrupted { pending.stopAll(.cancelled) }
    bound(by: SessionOptions.interruptedDrain)
  }

  /// The host's process died: as by end of input, but its answers may never be read.
  func hostProcessEnded() {
    if let descriptor = life.hostProcess { close(descriptor) }
    life.hostProcess = nil
    readWhatArrived()
    endInput()
    cutOutputWhenStuck(after: SessionOptions.readerPatience)
  }

  /// `exit`: the status says whether `shutdown` came first.
  func exit() {
    guard !life.isExiting else { return }
    life.isExiting = true
    life.fixedStatus = life.isShutDown ? .success : .failure
    endInput()
    bound(by: SessionOptions.interruptedDrain)
  }

  /// Nothing can be written any more. Running actions are finished all the same.
  func outputEnded(_ status: ExitStatus) {
    if life.fixedStatus == nil || status == .outputFailed { life.fixedStatus = status }
    endInput()
  }

  /// Bounds the end: what runs longer is stopped, and a reader that takes nothing is not waited for.
  private func bound(by time: Duration) {
    bounds.append(Task(executorPreference: executor) { await self.stopPending(after: time) })
    cutOutputWhenStuck(after: max(time, SessionOptions.readerPatience))
  }

  /// After a while, stops what is still running and gives up what does not end even then.
  private func stopPending(after time: Duration) async {
    guard (try? await host.clock.sleep(for: time)) != nil else { return }
    if !pending.isEmpty { await failPending() }
    life.isOverdue = true
    if life.hasEndedPlugins { for plugin in plugins { hurry(plugin) } }
  }

  private func failPending() async {
    life.hasFailed = true
    pending.stopAll(.drained)
    guard (try? await host.clock.sleep(for: HandlerRun.graceAtEnd * 4)) != nil else { return }
    for serial in pending.serialsInOrder {
      let data = pending.action(of: serial).map { [RPCError.Member("action", .string($0))] } ?? []
      complete(serial, .failure(.stopped(.drained, seconds: nil, data: data)))
    }
  }

  /// Cuts off output of which nothing is read for a while; a client that reads slowly is waited for.
  ///
  /// - Parameter time: when that is looked at first.
  private func cutOutputWhenStuck(after time: Duration) {
    bounds.append(Task(executorPreference: executor) { await self.watchOutput(after: time) })
  }

  private func watchOutput(after time: Duration) async {
    var (before, time) = (takenWhileBlocked, time)
    while (try? await host.clock.sleep(for: time)) != nil {
      // Both times it was blocked with nothing read in between: so it was all the while, however late it began.
      let now = takenWhileBlocked
      if now != nil && now == before { life.takenWhenStuck = now }
      (before, time) = (now, SessionOptions.readerPatience)
    }
  }

  /// How much the client has read, while more waits for it.
  private var takenWhileBlocked: Int? {
    flush()
    return writer.isBlocked ? writer.taken : nil
  }

  /// The exit status, once everything is finished and written.
  func statusAtEnd() -> ExitStatus? {
    if life.isAborted || isCutOff && pending.isEmpty { return .failure }
    guard life.isInputOver, !hasUndecoded, pending.isEmpty, writer.isEmpty || writer.ending != nil else { return nil }
    guard arePluginsSettled, havePluginsEnded() else { return nil }
    if let fixed = life.fixedStatus { return fixed }
    return life.hasFailed ? .failure : .success
  }

  private var isCutOff: Bool {
    writer.isBlocked && life.takenWhenStuck == writer.taken
  }

  private var arePluginsSettled: Bool { plugins.allSatisfy { isSettled($0) } }

  private func isSettled(_ plugin: some Plugin) -> Bool {
    plugin.assumeIsolated { $0.isSettled }
  }

  /// Ends the plugins, once. What they have outside of the process may take a moment.
  private func havePluginsEnded() -> Bool {
    endPlugins()
    return arePluginsSettled
  }

  func endPlugins() {
    guard !life.hasEndedPlugins else { return }
    life.hasEndedPlugins = true
    for plugin in plugins { end(plugin) }
  }

  private func end(_ plugin: some Plugin) {
    plugin.assumeIsolated { $0.end() }
    if life.isOverdue { hurry(plugin) }
  }

  private func hurry(_ plugin: some Plugin) {
    if let remote = plugin.remote { hurry(remote: remote) }
  }

  private func hurry(remote plugin: some RemotePlugin) {
    plugin.assumeIsolated { $0.hurry() }
  }
}
