import Glibc

@testable import RPCShell

/// One frame that came out of a session.
struct Received: Sendable, Equatable, CustomStringConvertible {
  let text: String
  var framing = Framing.lines

  var description: String { text }

  /// The frame as JSON; a failed test when it is none.
  var json: JSONView {
    get throws { try JSONDocument(parsing: JSONText(trusted: Array(text.utf8))).view }
  }

  /// A member by its path, as text: `error.data.id`, `0.id` for an element.
  func at(_ path: String) -> String? {
    guard var view = try? json else { return nil }
    for name in path.split(separator: ".") {
      guard let next = Int(name).flatMap({ view[$0] }) ?? view.member(named: String(name)) else { return nil }
      view = next
    }
    return view.text.description
  }

  /// The value of `id`, as text.
  var id: String? { at("id") }
  var method: String? { try? json["method"]?.string }
  var errorCode: Int? { try? json["error"]?["code"]?.integer }
  var errorMessage: String? { try? json["error"]?["message"]?.string }
}

/// Tells frames apart as a client does: a `Content-Length` header, or one line.
struct FrameSplitter {
  private var bytes: [UInt8] = []
  private var start = 0
  /// No line ends before here.
  private var searched = 0

  /// Takes what was read; gives back the frames that are whole now.
  mutating func split(_ some: [UInt8]) -> [Received] {
    bytes += some
    var found: [Received] = []
    while let frame = next() { found.append(frame) }
    bytes.removeFirst(start)
    searched -= start
    start = 0
    return found
  }

  /// Bytes that belong to no whole frame.
  var rest: String { String(decoding: bytes[start...], as: UTF8.self) }

  private mutating func lineEnd() -> Int? {
    bytes.withUnsafeBytes { bytes in
      let from = max(start, searched)
      guard from < bytes.count, let found = memchr(bytes.baseAddress! + from, 10, bytes.count - from) else {
        searched = bytes.count
        return nil
      }
      searched = UnsafeRawPointer(found) - bytes.baseAddress!
      return searched
    }
  }

  private mutating func next() -> Received? {
    guard let end = lineEnd() else { return nil }
    let line = String(decoding: bytes[start..<end], as: UTF8.self)
    guard line.hasPrefix("Content-Length: "), line.hasSuffix("\r") else {
      start = end + 1
      return Received(text: line)
    }
    guard let length = Int(line.dropFirst(16).dropLast()), bytes.count >= end + 3 + length else { return nil }
    // Exactly one header, then the empty line.
    guard bytes[end + 1] == 0x0D, bytes[end + 2] == 0x0A else {
      start = end + 1
      return Received(text: line)
    }
    start = end + 3 + length
    searched = start
    return Received(text: String(decoding: bytes[(end + 3)..<start], as: UTF8.self), framing: .headers)
  }
}

/// Frames that come out of a descriptor, read on a thread of its own from ``start()`` on.
final class FrameReader: Sendable {
  let frames = Mailbox<Received>()
  /// What came after the last whole frame.
  let leftover = Later<String>()
  let descriptor: Int32
  private let isStarted = Locked(false)

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Starts reading; a second call does nothing.
  func start() {
    let first = isStarted.withLock { started in
      defer { started = true }
      return !started
    }
    guard first else { return }
    startThread { [self] in
      var splitter = FrameSplitter()
      while true {
        let some = readSome(descriptor)
        if some.isEmpty { break }
        for frame in splitter.split(some) { frames.put(frame) }
      }
      close(descriptor)
      leftover.set(splitter.rest)
      frames.finish()
    }
  }

  /// Closes the reading end unread.
  func abandon() {
    let first = isStarted.withLock { started in
      defer { started = true }
      return !started
    }
    precondition(first, "somebody is reading")
    close(descriptor)
    leftover.set("")
    frames.finish()
  }
}
