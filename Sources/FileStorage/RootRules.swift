public import AccountModel
import FileTree
import Glibc

/// Which folders may be configured: none whose loss would hurt, and none that holds another.
public enum RootRules {
  /// Folders that are never an app's own, though they may hold some.
  private static let shared = [
    "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib64", "/media", "/mnt", "/opt", "/proc", "/root", "/run",
    "/sbin", "/srv", "/sys", "/tmp", "/usr", "/usr/bin", "/usr/lib", "/usr/local", "/usr/share", "/var", "/var/cache",
    "/var/lib", "/var/log", "/var/spool", "/var/tmp", "/dev/shm", "/run/user",
  ]

  /// The same under the home folder.
  private static let sharedAtHome = [
    "/.cache", "/.config", "/.local", "/.local/bin", "/.local/share", "/.local/state", "/.gnupg", "/.mozilla", "/.ssh",
    "/.var", "/Desktop",
    "/Documents",
    "/Downloads", "/Music", "/Pictures", "/Videos",
  ]

  /// Looks at all roots that are there; one that is missing is found out when it is measured.
  ///
  /// - Parameters:
  ///   - roots: what is configured.
  ///   - home: the home folder.
  ///   - kept: folders that clearing must not reach: those of the configuration and the state.
  ///   - open: roots that are open: what is open is looked at, whatever their paths lead to by now.
  /// - Throws: the first root that is refused: `storage.roots.cache[0]: '/' is the whole file system`.
  public static func check(_ roots: StorageRoots, home: String?, kept: [String]) throws(StorageRootRefusal) {
    try check(roots, home: home, kept: kept, open: [:])
  }

  static func check(
    _ roots: StorageRoots, home: String?, kept: [String], open: [StorageRoots.Root: Int32]
  ) throws(StorageRootRefusal) {
    let mounts = MountTable()
    func place(_ path: String) -> FolderPlace? { FolderPlace(path, mounts: mounts) }
    let homePlace = home.flatMap(place)
    let sharedPlaces = (shared + sharedAtHome.compactMap { path in home.map { $0 + path } }).compactMap(place)
    let keptPlaces = kept.compactMap { nearest($0, place) }
    var known: [(root: StorageRoots.Root, place: FolderPlace)] = []
    for root in roots.all {
      let opened = open[root].map { FolderPlace(of: $0, mounts: mounts) }
      guard let found = opened ?? place(root.path) else { continue }
      if let reason = danger(of: found, homePlace, sharedPlaces) { throw StorageRootRefusal(root, reason) }
      if root.kind.isRemovable, keptPlaces.contains(where: { $0.isInside(found) }) {
        throw StorageRootRefusal(root, "holds rpcshell's own settings; expected a folder of the app's own")
      }
      for other in known {
        if let relation = relation(of: found, to: other.place) {
          throw StorageRootRefusal(root, "\(relation) \(other.root.name) ('\(other.root.path)'); a file counts once")
        }
      }
      known.append((root, found))
    }
  }

  /// A folder that may not be there yet: then the one that it would be made in.
  private static func nearest(_ path: String, _ place: (String) -> FolderPlace?) -> FolderPlace? {
    var path = path
    while true {
      if let found = place(path) { return found }
      guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), path.count > 1 else { return nil }
      path = slash == path.startIndex ? "/" : String(path[..<slash])
    }
  }

  /// Why nobody should measure and clear this folder; nil where it may be an app's own.
  private static func danger(of place: FolderPlace, _ home: FolderPlace?, _ shared: [FolderPlace]) -> String? {
    let advice = "; expected a folder of the app's own"
    if place.ancestors.isEmpty { return "is the whole file system" + advice }
    if let home {
      if place.identity == home.identity { return "is the home folder" + advice }
      if home.isInside(place) { return "holds the home folder" + advice }
    }
    if place.path.hasSuffix(".rpcshell-trash") { return "is named like a trash of rpcshell's" + advice }
    if place.ancestors.count == 1 || shared.contains(where: { $0.identity == place.identity }) {
      return "is a folder that many share" + advice
    }
    return nil
  }

  private static func relation(of place: FolderPlace, to other: FolderPlace) -> String? {
    switch (place.isInside(other), other.isInside(place)) {
    case (true, true): "is the same folder as"
    case (true, false): "is inside"
    case (false, true): "holds"
    case (false, false): nil
    }
  }
}

/// A root that may not be configured.
public struct StorageRootRefusal: Error, Equatable, Sendable {
  /// `storage.roots.cache[0]`
  public let place: String
  /// `'/' is the whole file system; expected a folder of the app's own`
  public let reason: String

  init(_ root: StorageRoots.Root, _ reason: String) {
    place = root.name
    self.reason = "'\(root.path)' \(reason)"
  }
}
