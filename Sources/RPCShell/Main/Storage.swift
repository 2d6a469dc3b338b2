import AccountModel
import Configuration
import FileStorage
import HostAdapters
import RPCShell
import StoragePlugin

/// What stands behind the storage block: the configured folders, else rpcshell's own; for a demo a sample in memory.
enum Storage {
  static func plugin(_ setup: Setup, executor: LoopExecutor) -> StoragePlugin {
    let configuration = setup.configuration ?? Configuration()
    var settings = StoragePlugin.Settings(
      clearHold: .seconds(configuration.holds.clearCache ?? Configuration.Holds.defaultClearCache),
      showsFreeSpace: configuration.storage.showsFreeSpace ?? true,
      appliesAutoRemove: configuration.storage.applyAutoRemove ?? false)
    let isSample = setup.options.isDemo
    let files = isSample ? nil : setup.fileStorage.map { FileStorage($0, executor: executor, now: setup.now, log: log) }
    if isSample { settings.initial = .sample }
    let local: (any ActionHandler)? = isSample ? SampleStorage(.sample, executor: executor) : files
    settings.clearCache = configuration.binding(of: .onClearCache, local: local)
    settings.remove = configuration.binding(of: .onRemove, local: local)
    let folder = setup.options.isDemo ? nil : setup.stateFolder
    var options: any StorageOptionsStore = MemoryOptions()
    if let folder { options = OptionsFile(folder: folder, log: log) }
    let home = setup.home ?? "/"
    let free: @Sendable () -> Int? = { isSample ? StorageUsage.sampleFree : FreeSpace.bytes(at: home) }
    return StoragePlugin(
      version: Version.current, executor: executor, settings: settings, backend: files, options: options, free: free)
  }

  @Sendable
  private static func log(_ line: String) { StandardError.line("rpcshell: " + line) }
}

extension Setup {
  var home: String? { ConfigurationFile.environmentVariable("HOME") }

  /// Where it is kept what is decided under this configuration.
  var stateFolder: String? { ConfigurationFile.stateFolder(of: configuration == nil ? nil : file) }

  /// What is measured; nil where there is no home folder to look in.
  var fileStorage: FileStorage.Settings? {
    let storage = (configuration ?? Configuration()).storage
    guard let roots = storage.roots ?? StorageRoots.own(ConfiguredPath(folder: "/")) else { return nil }
    return FileStorage.Settings(
      roots: roots, manifest: storage.manifest, isWatching: storage.watch ?? false,
      recordFolder: storage.applyAutoRemove == true && !options.isDemo ? stateFolder : nil, home: home,
      kept: keptFolders)
  }

  /// Folders that clearing must not reach. rpcshell's own state may be among what is measured.
  private var keptFolders: [String] {
    let configurationFolder = file.flatMap { file in
      file.path.lastIndex(of: "/").map { String(file.path[...$0]) } ?? "."
    }
    let states = [stateFolder, ConfigurationFile.stateFolder(of: nil)]
    return (states + [configuration == nil ? nil : configurationFolder]).compactMap(\.self)
  }

  /// Looks at the configured roots.
  /// - Throws: the first that is refused, as an error of the configuration.
  func checkRoots() throws(UsageError) {
    guard !options.isDemo, let roots = configuration?.storage.roots else { return }
    do throws(StorageRootRefusal) { try RootRules.check(roots, home: home, kept: keptFolders) } catch {
      throw UsageError("\(file?.path ?? ""): \(error.place): \(error.reason)", see: nil)
    }
  }
}
