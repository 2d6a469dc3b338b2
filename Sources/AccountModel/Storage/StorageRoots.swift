/// The folders whose content is measured, by what they hold.
public struct StorageRoots: Sendable, Equatable {
  /// What a folder holds. The order is that in which a file with several names is counted: by the first.
  public enum Kind: String, Sendable, CaseIterable {
    case downloads, cache, photos, other

    /// Whether anything is ever removed from there.
    public var isRemovable: Bool { self == .downloads || self == .cache }
  }

  /// Absolute paths.
  public var downloads: [String]
  public var cache: [String]
  public var photos: [String]
  public var other: [String]
  /// Whether a folder that is not there counts as empty; else that is an error.
  public var mayBeMissing: Bool

  public init(
    downloads: [String] = [], cache: [String] = [], photos: [String] = [], other: [String] = [],
    mayBeMissing: Bool = false
  ) {
    self.downloads = downloads
    self.cache = cache
    self.photos = photos
    self.other = other
    self.mayBeMissing = mayBeMissing
  }

  /// One of the folders.
  public struct Root: Sendable, Hashable {
    public let kind: Kind
    public let index: Int
    /// Absolute.
    public let path: String

    /// Where it stands in the configuration.
    public var name: String { "storage.roots.\(kind.rawValue)[\(index)]" }
  }

  /// The paths of one kind.
  public subscript(kind: Kind) -> [String] {
    switch kind {
    case .downloads: downloads
    case .cache: cache
    case .photos: photos
    case .other: other
    }
  }

  /// The folders of one kind.
  public func roots(of kind: Kind) -> [Root] {
    self[kind].enumerated().map { Root(kind: kind, index: $0, path: $1) }
  }

  /// All folders, in the order in which they are counted.
  public var all: [Root] { Kind.allCases.flatMap(roots) }
}
