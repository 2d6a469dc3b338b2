// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target is built the same way: language mode 6, warnings are errors, and imports say
/// what they need (`any`, the module a member comes from).
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "rpcshell",
  products: [
    .executable(name: "rpcshell", targets: ["RPCShellMain"]),
    .executable(name: "rpcshell-http", targets: ["HTTPHelper"]),
    .executable(name: "rpcshell-postgres", targets: ["PostgreSQLHelper"]),
  ],
  targets: [
    // MARK: JSON library (Debian: libjansson-dev)
    .systemLibrary(
      name: "CJansson", path: "Sources/CJansson", pkgConfig: "jansson",
      providers: [.apt(["libjansson-dev"])]),

    // MARK: Database library (Debian: libsqlite3-dev)
    .systemLibrary(
      name: "CSQLite", path: "Sources/CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"])]),

    // MARK: HTTP (Debian: libcurl4-openssl-dev); only the helper that makes calls has it
    .systemLibrary(
      name: "CCurl", path: "Sources/CCurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"])]),

    // MARK: PostgreSQL's library (Debian: libpq-dev); only the helper that speaks to servers has it
    .systemLibrary(
      name: "CPostgres", path: "Sources/CPostgres", pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"])]),

    // MARK: Linux calls that the Glibc module leaves out (header only)
    .systemLibrary(name: "CLinux", path: "Sources/CLinux"),

    // MARK: The shell: everything between two file descriptors and the plugin protocol
    .target(
      name: "RPCShell", dependencies: ["CJansson", "CLinux"], path: "Sources/RPCShell", exclude: ["Main"],
      swiftSettings: strict),

    // MARK: Child processes (a C target: what runs between vfork and exec must be C)
    .target(name: "CSpawn"),
    .target(name: "ChildProcesses", dependencies: ["CLinux", "CSpawn", "RPCShell"], swiftSettings: strict),

    // MARK: Calls over HTTP: what the shell and the helper both know, and the helper
    .target(name: "HTTPCall", dependencies: ["RPCShell"], swiftSettings: strict),
    .executableTarget(
      name: "HTTPHelper", dependencies: ["CCurl", "HTTPCall", "RPCShell"], swiftSettings: strict),

    // MARK: Measuring and removing file trees
    .target(name: "FileTree", dependencies: ["CLinux"], swiftSettings: strict),

    // MARK: What the account page is about
    .target(name: "AccountModel", dependencies: ["RPCShell"], swiftSettings: strict),
    .target(name: "PlanPlugin", dependencies: ["RPCShell", "AccountModel"], swiftSettings: strict),
    .target(name: "StoragePlugin", dependencies: ["RPCShell", "AccountModel"], swiftSettings: strict),
    .target(
      name: "FileStorage", dependencies: ["CLinux", "RPCShell", "AccountModel", "FileTree"], swiftSettings: strict),
    .target(
      name: "AccountDatabase", dependencies: ["CLinux", "CSQLite", "RPCShell", "ChildProcesses", "AccountModel"],
      swiftSettings: strict),
    .executableTarget(name: "PostgreSQLHelper", dependencies: ["CPostgres", "RPCShell"], swiftSettings: strict),
    .target(name: "PluginProcesses", dependencies: ["ChildProcesses", "RPCShell"], swiftSettings: strict),
    .target(
      name: "HostAdapters", dependencies: ["RPCShell", "AccountModel", "ChildProcesses", "HTTPCall"],
      swiftSettings: strict),
    .target(name: "Configuration", dependencies: ["RPCShell", "AccountModel", "HTTPCall"], swiftSettings: strict),

    // MARK: The program
    .executableTarget(
      name: "RPCShellMain",
      dependencies: [
        "CLinux", "RPCShell", "AccountModel", "PlanPlugin", "StoragePlugin", "ChildProcesses", "FileStorage",
        "HostAdapters", "HTTPCall", "PluginProcesses", "AccountDatabase", "Configuration",
      ],
      path: "Sources/RPCShell/Main", swiftSettings: strict),

    // MARK: Tests. TestShell is the shell with a plugin that only tests need; the product does not contain it
    .executableTarget(
      name: "TestShell", dependencies: ["RPCShell"], path: "Tests/TestShell", swiftSettings: strict),
    // A plugin of somebody else's, for docs/PLUGINS.md.
    .executableTarget(
      name: "CounterPlugin", dependencies: ["RPCShell"], path: "Examples/plugins/counter", exclude: ["config.json"],
      swiftSettings: strict),
    // Measures and removes trees from the command line, for tests and benchmarks.
    .executableTarget(
      name: "TreeTool", dependencies: ["FileTree"], path: "Benchmarks/TreeTool", swiftSettings: strict),
    // An account's store from the command line, for tests: other processes, other users, processes that are killed.
    .executableTarget(
      name: "StoreTool", dependencies: ["AccountDatabase", "AccountModel", "RPCShell"], path: "Tests/StoreTool",
      swiftSettings: strict),
    .testTarget(
      name: "RPCTests",
      dependencies: [
        "AccountDatabase",
        "AccountModel",
        "ChildProcesses",
        "CJansson",
        "CLinux",
        "Configuration",
        "CounterPlugin",
        "FileStorage",
        "FileTree",
        "HostAdapters",
        "HTTPCall",
        "HTTPHelper",
        "PlanPlugin",
        "PluginProcesses",
        "RPCShell",
        "RPCShellMain",
        "StoragePlugin",
        "StoreTool",
        "TestShell",
        "TreeTool",
      ],
      path: "Tests/RPCTests",
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
