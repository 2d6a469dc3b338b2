import Glibc
import RPCShell

/// A header of a call, whose value may be a secret that is read when the call is made.
public struct HTTPHeader: Sendable, Equatable {
  /// Where a value comes from.
  public enum Source: Sendable, Equatable {
    case text(String)
    /// A variable of the environment.
    case variable(String)
    /// A file, whose last line end does not count.
    case file(String)
  }

  public var name: String
  public var source: Source
  /// What stands in front of the value: `Bearer `.
  public var prefix: String

  public init(name: String, source: Source, prefix: String = "") {
    self.name = name
    self.source = source
    self.prefix = prefix
  }

  /// Why a header has no value; never with the value.
  public struct Missing: Error, Equatable {
    /// `There is no value for the header 'Authorization': the variable 'BILLING_TOKEN' is not set`
    public let message: String
  }

  /// The header with its value, where that is a variable's.
  /// - Throws: why there is none.
  public func withVariable() throws(Missing) -> HTTPHeader {
    guard case .variable(let name) = source else { return self }
    guard let value = getenv(name) else { throw missing("the variable '\(name)' is not set") }
    let text = try checked(Self.text(of: UnsafeBufferPointer(start: value, count: strlen(value))), of: "variable", name)
    return HTTPHeader(name: self.name, source: .text(text), prefix: prefix)
  }

  /// The value as it is sent.
  /// - Throws: why there is none.
  public func value() throws(Missing) -> String {
    switch source {
    case .text(let text): prefix + text
    case .variable: try withVariable().value()
    case .file(let path): prefix + (try checked(try content(of: path), of: "file", path))
    }
  }

  /// Whether a text may be a value: it has no line breaks, with which it could be more than one, and no other controls.
  static func isValue(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
  }

  /// Longer files hold no secret.
  private static let limit = 1 << 16

  private func content(of path: String) throws(Missing) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path, errno) }
    defer { close(descriptor) }
    let buffer = ByteBuffer(capacity: 1 << 14)
    switch buffer.append(allOf: descriptor, upTo: Self.limit) {
    case .complete: break
    case .failed(let code): throw unreadable(path, code)
    case .tooLong: throw missing("the file '\(path)' has more than \(Self.limit >> 10) KiB")
    }
    var text = buffer.readable[...]
    if text.last == UInt8(ascii: "\n") { text = text.dropLast() }
    if text.last == UInt8(ascii: "\r") { text = text.dropLast() }
    return Self.text(of: text)
  }

  private func checked(_ text: String?, of kind: String, _ name: String) throws(Missing) -> String {
    guard let text, Self.isValue(text) else {
      throw missing("the \(kind) '\(name)' has line breaks, controls or what is not UTF-8")
    }
    guard !text.isEmpty else { throw missing("the \(kind) '\(name)' is empty") }
    return text
  }

  private static func text(of bytes: some Sequence<CChar>) -> String? {
    text(of: bytes.map { UInt8(bitPattern: $0) })
  }

  private static func text(of bytes: some Sequence<UInt8>) -> String? { String(validating: bytes, as: UTF8.self) }

  private func unreadable(_ path: String, _ code: Int32) -> Missing {
    missing("the file '\(path)' cannot be read: \(String(cString: strerror(code)))")
  }

  private func missing(_ reason: String) -> Missing {
    Missing(message: "There is no value for the header '\(name)': \(reason)")
  }
}
