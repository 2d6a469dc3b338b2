import AccountModel
import FileTree
import Glibc
import RPCShell

/// Measures again what changed, and nothing else.
extension SurveyWork {
  /// Above this, telling the parts apart is not worth it.
  private static let partLimit = 1_000

  /// Brings a survey up to date.
  ///
  /// - Parameters:
  ///   - download: the id of one that may be gone.
  ///   - survey: what is known so far; changed in place.
  /// - Returns: what changed; nil where everything has to be measured.
  mutating func update(_ survey: Survey, after download: String?) throws(StorageFailure) -> StorageChanges? {
    var noticed = watch?.take() ?? ChangeWatch.Changes()
    // What is not watched is looked at again when a wait was over.
    if let watch, !watch.isComplete, download == nil { noticed.isEverything = true }
    if let item = download.flatMap(survey.item) { noticed.parts.insert(.download(item.file.root, item.file.name)) }
    guard !noticed.isEverything, noticed.parts.count <= Self.partLimit else { return nil }
    // First, so that what comes into new folders while they are measured is noticed.
    if noticed.hasNewFolders { try watchAgain(noticed.parts) }
    var changes = StorageChanges(totals: survey.totals)
    var manifest: DownloadManifest??
    for part in noticed.parts.sorted(by: Self.isBefore) {
      switch part {
      case .kind(let number):
        guard try update(StorageRoots.Kind.allCases[number], survey, &changes) else { return nil }
      case .download(let root, let name):
        if manifest == nil { manifest = .some(readManifest()) }
        guard try update(Survey.File(root: root, name: name), manifest ?? nil, survey, &changes) else { return nil }
      }
    }
    if download != nil { survey.waiting = waiting() }
    changes.totals = survey.totals
    return changes
  }

  private static func isBefore(_ one: ChangeWatch.Part, _ other: ChangeWatch.Part) -> Bool {
    switch (one, other) {
    case (.download(let root, let name), .download(let otherRoot, let otherName)):
      root == otherRoot ? name.lexicographicallyPrecedes(otherName) : root < otherRoot
    case (.download, .kind): true
    case (.kind, .download): false
    case (.kind(let kind), .kind(let other)): kind < other
    }
  }

  // MARK: One download

  /// - Returns: whether it could be told apart from the rest.
  private mutating func update(
    _ file: Survey.File, _ manifest: DownloadManifest?, _ survey: Survey, _ changes: inout StorageChanges
  ) throws(StorageFailure) -> Bool {
    guard let folder = try folder(.downloads, file.root) else { return true }
    let known = survey.id(of: file)
    if known == nil && TreeRoot.isTrash(file.name, in: folder.descriptor) { return true }
    guard !isManifest(file.name, folder) else { return false }
    let old = known.flatMap(survey.item)
    let unit = TreeUnit.entry(file.name, of: folder.descriptor, path: folder.root.path)
    let measure = try measure([unit], threads: 1)
    guard old?.sizes.hasSharedLinks != true, measure.units[0].hasSharedLinks == false, measure.isComplete else {
      return false
    }
    if measure.units[0].entries == 0 {
      guard let known else { return true }
      survey.remove(known)
      record?.forget(known)
      changes.removed.append(known)
      return true
    }
    let entry = manifest?.entry(file.name, in: folder.root.path)
    let path = settings.roots.downloads.count > 1 ? folder.root.path : nil
    let id = known ?? entry?.id ?? DownloadNames.id(file.name, in: path, hasManifest: settings.manifest != nil)
    if known == nil && survey.item(id) != nil { return false }
    let download = self.download(id, file, folder, measure.units[0], entry)
    guard old?.download != download || old?.sizes != measure.units[0] else { return true }
    survey.put(file, measure.units[0], download)
    if old?.download != download { changes.downloads.append(download) }
    return true
  }

  // MARK: One kind

  private mutating func update(
    _ kind: StorageRoots.Kind, _ survey: Survey, _ changes: inout StorageChanges
  ) throws(StorageFailure) -> Bool {
    var folders: [RootFolder] = []
    for index in settings.roots[kind].indices { if let folder = try folder(kind, index) { folders.append(folder) } }
    let measure = try measure(folders.map { TreeUnit.content(of: $0.descriptor, path: $0.root.path) })
    let sizes = measure.units.reduce(into: TreeSizes(), +=)
    guard survey.kinds[kind]?.hasSharedLinks != true, !sizes.hasSharedLinks, measure.isComplete, survey.isComplete
    else { return false }
    guard survey.kinds[kind] != sizes else { return true }
    survey.put(kind, sizes)
    switch kind {
    case .cache: changes.cache = sizes.allocated
    case .photos: changes.photos = sizes.allocated
    case .other: changes.other = sizes.allocated
    case .downloads: break
    }
    return true
  }

  private func folder(_ kind: StorageRoots.Kind, _ index: Int) throws(StorageFailure) -> RootFolder? {
    let roots = settings.roots.roots(of: kind)
    guard index < roots.count else { return nil }
    return try RootFolder.open(roots[index], mayBeMissing: settings.roots.mayBeMissing)
  }

  // MARK: Watching

  /// Watches folders that came.
  private func watchAgain(_ parts: Set<ChangeWatch.Part>) throws(StorageFailure) {
    guard let watch else { return }
    let kinds = Set(
      parts.map { part in
        switch part {
        case .download: StorageRoots.Kind.downloads
        case .kind(let number): StorageRoots.Kind.allCases[number]
        }
      })
    for kind in kinds {
      for index in settings.roots[kind].indices {
        if let folder = try folder(kind, index) { self.watch(folder, watch) }
      }
    }
  }
}
