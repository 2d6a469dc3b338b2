import Glibc

/// Every kind of file that a measurement meets.
enum Zoo {
  /// In `in`, itself included.
  static let names = 18

  /// Makes `in`, which is to be measured, and `outside`.
  static func make(in tree: TemporaryFolder) {
    tree.make("in/", "outside/")
    tree.write("outside/precious", bytes: 500_000)
    tree.write("outside/shared", bytes: 30_000)
    tree.write("in/plain", bytes: 10_000)
    tree.write("in/empty", bytes: 0)
    tree.write("in/hard1", bytes: 100_000)
    tree.hardLink("in/hard2", to: "in/hard1")
    tree.hardLink("in/hard-to-outside", to: "outside/shared")
    tree.sparseFile("in/sparse", size: 1 << 40)
    for (name, target) in [("directory", "../outside"), ("root", "/"), ("loop", "loop"), ("dangling", "nowhere")] {
      tree.link("in/\(name)", to: target)
    }
    tree.fifo("in/fifo")
    makeSocket("\(tree.path)/in/socket")
    tree.write(Array("in/bad-".utf8) + [0xFF, 0xFE], Array(repeating: 120, count: 7_000))
    tree.write("in/-rf", bytes: 100)
    tree.make("in/read-only/kept")
    tree.permissions("in/read-only", 0o555)
    tree.make("in/hidden/")
    tree.permissions("in/hidden", TreeTool.isRoot ? 0 : 0o700)
  }

  private static func makeSocket(_ path: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    precondition(code == 0, "no socket: \(errno)")
    close(socket)
  }
}
