import Glibc

/// Why a tree was left as it is.
public struct TreeFailure: Error, Sendable, Equatable {
  /// What kept it from being touched.
  public enum Cause: Sendable, Equatable {
    /// It cannot be opened as a directory.
    case unreadable
    /// It has no parent, or is not where it says it is.
    case noPlace
    /// It is not any more what was opened, or measured.
    case changed
    /// Another process is removing it.
    case busy
    /// The file system can only be read.
    case readOnly
    /// It is no name of an entry.
    case badName
    /// It is there, but can neither be moved nor looked at.
    case unmovable
  }

  public var cause: Cause
  /// As in `errno`; 0 where no call failed.
  public var code: Int32
  /// Bytes, without a NUL: a name need not be UTF-8.
  public var path: [UInt8]

  public init(_ cause: Cause, code: Int32, path: [UInt8]) {
    self.cause = cause
    self.code = code
    self.path = path
  }
}

/// A descriptor that is closed when nobody needs it any more.
final class Descriptor: Sendable {
  let raw: Int32

  /// - Parameter raw: is closed by this from now on.
  init(_ raw: Int32) { self.raw = raw }

  deinit { close(raw) }
}

extension UnsafePointer<CChar> {
  /// The bytes of a C string, without the NUL.
  var bytes: [UInt8] { UnsafeRawBufferPointer(start: self, count: strlen(self)).map { $0 } }
}
