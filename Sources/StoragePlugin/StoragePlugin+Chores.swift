import AccountModel
import RPCShell

/// What the storage block does by itself while a session lives: it follows changes, and removes what is old enough.
extension StoragePlugin {
  /// Between two looks at what changed: at most four events a second.
  private static let watchInterval = Duration.milliseconds(250)
  private static let day = Duration.seconds(86_400)

  /// What is old goes from the start of a session, whether or not somebody looks.
  func beginChores() {
    guard !isSettling else { return }
    refresh()
    if state.isLoading { measureUnasked() }
  }

  /// Begins once something was measured.
  func startWatching() {
    guard watching == nil, !isSettling, let backend, backend.isWatching else { return }
    watching = Task(executorPreference: executor) { await self.follow(backend) }
  }

  /// Begins once there are figures, whoever they come from.
  func startTidying() {
    guard tidying == nil, !isSettling, !state.isLoading, settings.appliesAutoRemove else { return }
    tidying = Task(executorPreference: executor) { await self.removeOld() }
  }

  // MARK: Watching

  private func follow(_ backend: any StorageBackend) async {
    while !Task.isCancelled {
      guard (try? await backend.waitForChange()) != nil else { return }
      let duration = await host.clock.measure { await lookAtChanges(backend) }
      // Looking takes a fifth of the time at most.
      let pause = max(Self.watchInterval, duration * 4)
      guard (try? await host.clock.sleep(for: pause)) != nil else { return }
    }
  }

  /// What cannot be read is told once, and tried again with the next change.
  private func lookAtChanges(_ backend: any StorageBackend) async {
    do {
      let update = try await backend.update(after: nil)
      if !Task.isCancelled { apply(update) }
    } catch let failure as StorageFailure where !Task.isCancelled && isMeasured {
      if !state.isStale { host.log("storage: \(failure.message)") }
      state.isStale = true
      publish(StateFeed.Transition(cause: "watch"))
    } catch {}
  }

  private func apply(_ update: StorageUpdate) {
    guard isMeasured else { return }
    switch update {
    case .parts(let changes): _ = take(changes)
    case .whole(let measure):
      guard state.differs(from: measure) else { return }
      take(measure)
    }
    publish(StateFeed.Transition(cause: "watch"))
  }

  // MARK: Old downloads

  /// A pass now, and one each day.
  private func removeOld() async {
    while !Task.isCancelled {
      for download in state.downloads.all where isOld(download) && !Task.isCancelled { await removeOld(download) }
      guard (try? await host.clock.sleep(for: Self.day)) != nil else { return }
    }
  }

  /// Whether it was complete for as long as the options say. A time in the future is new.
  private func isOld(_ download: Download) -> Bool {
    guard let age = state.options.autoRemove.age, let completion = download.completedAt.value else { return false }
    switch completion.moment {
    case .instant(let seconds, _): return host.now() - Double(seconds) >= age
    case .day(let day):
      // Wherever the day was, it is over everywhere half a day after it ended at Greenwich.
      return host.now() - (Double(day.number) + 1.5) * 86_400 >= age
    }
  }

  private func removeOld(_ download: Download) async {
    guard let binding = binding(of: .remove), state.downloads[download.id] != nil,
      removals[ExactText(download.id)] == nil
    else { return }
    let context = CallContext(of: host)
    ownRemoval = context.stop
    let work = startRemoval(download, binding, context, cause: "autoRemove")
    do throws(RPCError) { _ = try await work() } catch { host.log("autoRemove: \(error.message)") }
    ownRemoval = nil
  }
}
