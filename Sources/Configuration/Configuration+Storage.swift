public import AccountModel
import RPCShell

extension Configuration {
  /// What the app keeps on disk, and what may be done about it.
  public struct Storage: Sendable, Equatable {
    /// The folders that are measured; nil is rpcshell's own, which count as empty while they are missing.
    public var roots: StorageRoots?
    /// A file that names the downloads.
    public var manifest: String?
    /// Whether free space on the device is shown.
    public var showsFreeSpace: Bool?
    /// Whether changes on disk are followed.
    public var watch: Bool?
    /// Whether finished downloads go by themselves, as the options say.
    public var applyAutoRemove: Bool?
  }

  static var storageSchema: Schema {
    let folders = Schema.array(.nonEmptyString)
    return .object([
      .optional(
        "roots",
        .object([
          .optional("downloads", folders), .optional("cache", folders), .optional("photos", folders),
          .optional("other", folders),
        ])),
      .optional("manifest", .nonEmptyString), .optional("showsFreeSpace", .boolean), .optional("watch", .boolean),
      .optional("applyAutoRemove", .boolean),
    ])
  }
}

extension Configuration.Storage {
  /// - Parameter view: was checked with the schema.
  init(validated view: JSONView, _ paths: ConfiguredPath) throws(SchemaViolation) {
    if let roots = view["roots"], !roots.isNull {
      self.roots = StorageRoots(
        downloads: try Self.folders(roots, "downloads", paths), cache: try Self.folders(roots, "cache", paths),
        photos: try Self.folders(roots, "photos", paths), other: try Self.folders(roots, "other", paths))
    }
    if let manifest = view["manifest"]?.string {
      self.manifest = try paths.resolve(manifest, at: "storage.manifest")
    }
    showsFreeSpace = view["showsFreeSpace"]?.bool
    watch = view["watch"]?.bool
    applyAutoRemove = view["applyAutoRemove"]?.bool
  }

  private static func folders(
    _ roots: JSONView, _ kind: StaticString, _ paths: ConfiguredPath
  ) throws(SchemaViolation) -> [String] {
    var folders: [String] = []
    for (index, element) in (roots[kind]?.elements ?? []).enumerated() {
      folders.append(try paths.resolve(element.string!, at: "storage.roots.\(kind)[\(index)]"))
    }
    return folders
  }
}

extension StorageRoots {
  /// rpcshell's own folders (XDG Base Directory Specification), which may be missing; nil where there is no home folder.
  public static func own(_ paths: ConfiguredPath) -> StorageRoots? {
    do throws(ConfiguredPath.Refusal) {
      return StorageRoots(
        downloads: [try paths.path(of: .data) + "/rpcshell/downloads"],
        cache: [try paths.path(of: .cache) + "/rpcshell"],
        photos: [try paths.path(of: .data) + "/rpcshell/photos"],
        other: [try paths.path(of: .state) + "/rpcshell"], mayBeMissing: true)
    } catch { return nil }
  }
}
