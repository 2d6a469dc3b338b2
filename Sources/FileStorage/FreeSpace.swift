import Glibc

/// How much room is left on a device.
public enum FreeSpace {
  /// Bytes that anybody may still write on the device of a folder (statvfs(3)): blocks for others than root, in fragments.
  ///
  /// - Returns: nil where that cannot be read: it is never nothing then.
  public static func bytes(at path: String) -> Int? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    return bytes(available: UInt64(status.f_bavail), fragment: UInt64(status.f_frsize))
  }

  /// - Parameters:
  ///   - available: blocks, as `f_bavail`; a file system that is over its limit may tell a negative number, which is none.
  ///   - fragment: bytes in one, as `f_frsize`.
  static func bytes(available: UInt64, fragment: UInt64) -> Int {
    if available >= 1 << 63 { return 0 }
    let (bytes, overflow) = available.multipliedReportingOverflow(by: fragment)
    return overflow ? .max : Int(clamping: bytes)
  }
}
