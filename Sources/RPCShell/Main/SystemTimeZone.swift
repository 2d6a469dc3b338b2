import Configuration
import FoundationEssentials
import FoundationInternationalization
import Glibc
import RPCShell

/// The time zone that dates are shown in unless somebody says otherwise.
enum SystemTimeZone {
  /// `TZ`, else what /etc/localtime links to, else UTC. A zone in `TZ` that nobody knows is UTC, with a line that says so.
  static func current(log: (String) -> Void) -> String {
    if let value = variable {
      var name = value.hasPrefix(":") ? String(value.dropFirst()) : value
      if name == "/etc/localtime" { return linkedZone ?? "UTC" }
      if name.hasPrefix(directory + "/") { name = String(name.dropFirst(directory.count + 1)) }
      if isKnown(name) { return name }
      log("rpcshell: unknown time zone '\(name)' in TZ; using UTC")
      return "UTC"
    }
    return linkedZone ?? "UTC"
  }

  /// Whether `TZ` says something.
  static var isInEnvironment: Bool { variable != nil }

  private static var variable: String? {
    ConfigurationFile.environmentVariable("TZ")
  }

  /// Whether an IANA id is known. The system's own list is asked first, because the library's takes milliseconds to load.
  @Sendable
  static func isKnown(_ name: String) -> Bool {
    if name.isExactly("UTC") || name.isExactly("GMT") { return true }
    guard name.utf8.count <= longest, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return false }
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") }) else { return false }
    // The system has more files than there are zones (copies with other rules, links to what is set); the library knows
    // zones that it makes up from an offset.
    return isZoneFile("\(directory)/\(name)") ?? TimeZone.knownTimeZoneIdentifiers.contains(name)
      && TimeZone(identifier: name) != nil
  }

  /// Bytes of a name; the longest there is has 32.
  private static let longest = 64

  /// Whether a file is a compiled time zone (tzfile(5)); nil where there is none.
  private static func isZoneFile(_ path: String) -> Bool? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return withUnsafeTemporaryAllocation(byteCount: 4, alignment: 1) { magic in
      read(descriptor, magic.baseAddress!, 4) == 4 && magic.elementsEqual("TZif".utf8)
    }
  }

  private static let directory = "/usr/share/zoneinfo"

  private static var linkedZone: String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { path in
      let count = readlink("/etc/localtime", path.baseAddress!, path.count)
      guard count > 0 else { return nil }
      let target = String(
        decoding: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(path)[..<count]), as: UTF8.self)
      // The link may be relative.
      guard let name = target.suffix(after: "zoneinfo/") else { return nil }
      return name == "Etc/UTC" || !isKnown(name) ? "UTC" : name
    }
  }
}

extension String {
  /// What follows the first place where a part stands.
  fileprivate func suffix(after part: StaticString) -> String? {
    withCString { text in
      part.withUTF8Buffer { wanted in
        strstr(text, UnsafeRawPointer(wanted.baseAddress!).assumingMemoryBound(to: CChar.self))
          .map { String(cString: $0 + wanted.count) }
      }
    }
  }
}
