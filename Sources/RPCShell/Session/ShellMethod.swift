/// The methods that the session answers itself.
enum ShellMethod: String, CaseIterable {
  case ping = "shell.ping"
  case initialize
  case initialized
  case shutdown
  case exit
  case cancel = "$/cancelRequest"
  case progress = "$/progress"
  case setTrace = "$/setTrace"
  case setEnvironment = "$/setEnvironment"
  case discover = "rpc.discover"

  /// - Parameter name: the bytes of a method's name.
  @inline(__always)
  init?(_ name: UnsafeRawBufferPointer) {
    if name.spells("shell.ping") {
      self = .ping
    } else if let method = Self(unhurried: name) {
      self = method
    } else {
      return nil
    }
  }

  /// All but the one that is counted in nanoseconds.
  @inline(never)
  private init?(unhurried name: UnsafeRawBufferPointer) {
    self.init(rawValue: String(decoding: name.prefix(32), as: UTF8.self))
  }
}

extension UnsafeRawBufferPointer {
  /// Whether these are exactly the bytes of `word`.
  @inline(__always)
  fileprivate func spells(_ word: StaticString) -> Bool {
    count == word.utf8CodeUnitCount && equal(baseAddress!.assumingMemoryBound(to: UInt8.self), word)
  }
}
