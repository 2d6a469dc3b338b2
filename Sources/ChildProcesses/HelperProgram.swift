import Glibc

/// Finds programs that are installed with this one and do what it must not be linked with.
public enum HelperProgram {
  /// Where a helper is: beside this program, as in a build, else in `../libexec/rpcshell` from there, as installed.
  /// - Returns: nil where it is in neither.
  public static func path(of name: String) -> String? {
    guard let folder = ownFolder else { return nil }
    return [folder + "/" + name, folder + "/../libexec/rpcshell/" + name].first { access($0, X_OK) == 0 }
  }

  private static var ownFolder: String? {
    let path = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { room, count in
      count = room.withMemoryRebound(to: CChar.self) { max(0, readlink("/proc/self/exe", $0.baseAddress!, $0.count)) }
    }
    return path.lastIndex(of: UInt8(ascii: "/")).map { String(decoding: path[..<$0], as: UTF8.self) }
  }
}
