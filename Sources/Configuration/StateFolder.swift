import Glibc

extension ConfigurationFile {
  /// The folder where what was decided under a configuration is kept: `rpcshell` under `XDG_STATE_HOME` or
  /// `~/.local/state`, and for a file that somebody named a folder of its own in that, so that two apps do not share
  /// what a person decided about one of them.
  ///
  /// - Parameter file: nil where there is none.
  /// - Returns: nil where there is no home folder.
  public static func stateFolder(
    of file: ConfigurationFile?, _ paths: ConfiguredPath = ConfiguredPath(folder: "/")
  ) -> String? {
    do throws(ConfiguredPath.Refusal) {
      let folder = try paths.path(of: .state) + "/rpcshell"
      guard let file, file.origin != .usualPlace else { return folder }
      return folder + "/" + key(of: file.path)
    } catch { return nil }
  }

  /// A name that follows from where a file really is: its last part, to be found by a person, and a number that tells it
  /// from others (FNV-1a).
  private static func key(of path: String) -> String {
    var resolved = path
    if let real = realpath(path, nil) {
      resolved = String(cString: real)
      free(real)
    }
    let hash = resolved.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    let digits = String(hash, radix: 16)
    let name = resolved.split(separator: "/").last?.prefix(40) ?? ""
    return name + "-" + String(repeating: "0", count: 16 - digits.count) + digits
  }
}
