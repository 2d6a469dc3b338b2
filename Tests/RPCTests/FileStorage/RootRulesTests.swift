import AccountModel
import FileTree
import Glibc
import Testing

@testable import FileStorage

/// Which folders may be configured.
struct RootRulesTests {
  private let folder = try! TemporaryFolder()

  private func refusal(_ roots: StorageRoots, home: String? = nil, kept: [String] = []) -> String? {
    do throws(StorageRootRefusal) {
      try RootRules.check(roots, home: home ?? folder.makeFolder("home"), kept: kept)
      return nil
    } catch { return "\(error.place): \(error.reason)" }
  }

  @Test(arguments: ["/", "/..", "/./"])
  func `refuses the whole file system`(path: String) {
    #expect(
      refusal(StorageRoots(cache: ["/tmp/rpctests-none", path]))
        == "storage.roots.cache[1]: '\(path)' is the whole file system; expected a folder of the app's own")
  }

  @Test func `refuses the home folder and what holds it, by any name`() {
    let home = folder.makeFolder("a/home")
    symlink(home, folder.at("link"))
    symlink(folder.at("a"), folder.at("a/home/up"))
    let advice = "; expected a folder of the app's own"
    for path in [home, home + "/.", folder.at("link"), home + "/x/.."] {
      folder.makeFolder("a/home/x")
      #expect(
        refusal(StorageRoots(other: [path]), home: home)
          == "storage.roots.other[0]: '\(path)' is the home folder" + advice)
    }
    for path in [folder.at("a"), folder.path, home + "/up"] {
      #expect(
        refusal(StorageRoots(photos: [path]), home: home)
          == "storage.roots.photos[0]: '\(path)' holds the home folder" + advice)
    }
  }

  @Test(arguments: ["/etc", "/usr/../var", "/tmp", "/var/lib"])
  func `refuses folders that many share`(path: String) {
    #expect(
      refusal(StorageRoots(downloads: [path]), home: "/nowhere")
        == "storage.roots.downloads[0]: '\(path)' is a folder that many share; expected a folder of the app's own")
  }

  @Test func `refuses roots that hold each other, by what they are`() {
    let cache = folder.makeFolder("cache")
    let inner = folder.makeFolder("cache/downloads")
    symlink(inner, folder.at("link"))
    #expect(
      refusal(StorageRoots(downloads: [folder.at("link")], cache: [cache]))
        == "storage.roots.cache[0]: '\(cache)' holds storage.roots.downloads[0] ('\(folder.at("link"))'); "
        + "a file counts once")
    #expect(
      refusal(StorageRoots(cache: [cache], photos: [inner]))
        == "storage.roots.photos[0]: '\(inner)' is inside storage.roots.cache[0] ('\(cache)'); a file counts once")
    #expect(
      refusal(StorageRoots(cache: [cache, cache + "/"]))
        == "storage.roots.cache[1]: '\(cache)/' is the same folder as storage.roots.cache[0] ('\(cache)'); "
        + "a file counts once")
  }

  @Test func `neighbours with names that begin alike are no matter`() {
    let roots = StorageRoots(
      downloads: [folder.makeFolder("app")], cache: [folder.makeFolder("app2")], photos: [folder.at("missing")])
    #expect(refusal(roots) == nil)
  }

  @Test func `refuses to clear a folder that holds the settings, but measures it`() {
    let app = folder.makeFolder("app")
    let state = folder.makeFolder("app/state")
    #expect(
      refusal(StorageRoots(cache: [app]), kept: [state])
        == "storage.roots.cache[0]: '\(app)' holds rpcshell's own settings; expected a folder of the app's own")
    #expect(refusal(StorageRoots(other: [app]), kept: [state]) == nil)
    #expect(refusal(StorageRoots(cache: [folder.makeFolder("app/cache")]), kept: [state]) == nil)
  }

  @Test func `tells the same place through another mount`() {
    let outer = FolderPlace.InnerPath(device: 1, path: "/data/x")
    #expect(FolderPlace.InnerPath(device: 1, path: "/data/x/y").isInside(outer))
    #expect(FolderPlace.InnerPath(device: 1, path: "/data/x").isInside(outer))
    #expect(!FolderPlace.InnerPath(device: 1, path: "/data/xy").isInside(outer))
    #expect(!FolderPlace.InnerPath(device: 2, path: "/data/x/y").isInside(outer))
    #expect(outer.isInside(FolderPlace.InnerPath(device: 1, path: "/")))
    #expect(FolderPlace(folder.path, mounts: MountTable())?.inner != nil)
  }
}
