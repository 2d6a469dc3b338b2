import Glibc

/// A program that comes with rpcshell and is started by it alone.
public enum HelperProgram {
  /// Where such a program is: beside the one that runs, or in `../libexec/rpcshell`. Nowhere else is looked, so that
  /// nobody's PATH decides who is told secrets.
  ///
  /// - Returns: nil where it is not there.
  public static func path(of name: String) -> String? {
    guard let own = ownPath(), let slash = own.lastIndex(of: "/") else { return nil }
    let folder = own[..<slash]
    let places = [folder + "/" + name, folder + "/../libexec/rpcshell/" + name]
    return places.map { String($0) }.first { access($0, X_OK) == 0 }
  }

  /// The file that runs (proc(5)).
  private static func ownPath() -> String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = bytes.withUnsafeMutableBytes { room in
      readlink("/proc/self/exe", room.bindMemory(to: CChar.self).baseAddress!, room.count)
    }
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}
