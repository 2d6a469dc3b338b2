import HTTPCall
import RPCShell

/// A real HTTP server that behaves as badly as the path of a call says (Tests/Servers/http_faults.py).
struct FaultServer {
  private let process: RunningShell
  private let isSecure: Bool
  let port: String

  /// Runs a server for as long as `body` takes.
  /// - Parameter certificate: with which it speaks TLS; nil speaks plain HTTP.
  static func run(
    _ certificate: Certificate? = nil, _ body: (FaultServer) async throws -> Void
  ) async throws {
    let script = Binary.root + "/Tests/Servers/http_faults.py"
    let tls = certificate.map { ["--tls", $0.chain, $0.key] } ?? []
    _ = try await RunningShell.run(.init("/usr/bin/env", ["python3", script] + tls)) { process in
      let port = try await process.next().text
      try await body(FaultServer(process: process, isSecure: certificate != nil, port: port))
    }
  }

  func url(_ path: String) -> String { (isSecure ? "https" : "http") + "://127.0.0.1:\(port)/" + path }

  /// The next thing that it noticed.
  func next() async throws -> Received { try await process.next() }

  /// All requests so far.
  var requests: [Received] { process.output.frames.all.filter { $0.at("path") != nil } }
}

/// What the helper makes of a call.
struct HelperCall {
  var url: String
  var members: [String: String] = [:]
  var key = "key-1"
  var retries = 1
  var timeout = 60.0

  /// What it is given on stdin.
  var input: String {
    JSONText { writer in
      writer.object { call in
        call.member("url", url)
        call.member("retries", retries)
        call.member("body", #"{"action":"onRestore","n":1.50}"#)
        call.member("idempotencyKey", key)
        call.member("timeout", JSONText(shortest: timeout))
        for (name, value) in members {
          call.key(name)
          call.text(JSONText(trusted: Array(value.utf8)))
        }
      }
    }.description
  }

  func run() async throws -> RunningShell.Ending {
    try await RunningShell.run(.init(try Binary.httpHelper), input: input)
  }
}

/// A certificate for 127.0.0.1 with its key, and the authority that signed it, made by openssl(1).
final class Certificate: Sendable {
  enum Kind: String, CaseIterable {
    case good, expired, otherName
  }

  private let folder: TemporaryFolder
  private let kind: Kind

  var chain: String { folder.at("server.pem") }
  var key: String { folder.at("server.key") }
  /// To trust it with.
  var authority: String { folder.at("ca.pem") }

  init(_ kind: Kind = .good) throws {
    folder = try TemporaryFolder()
    self.kind = kind
    let name = kind == .otherName ? "DNS:other.example" : "IP:127.0.0.1,DNS:localhost"
    let script = """
      cd '\(folder.path)' && exec >/dev/null 2>&1
      new="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
      openssl req -x509 $new -keyout ca.key -out ca.pem -days 2 -subj /CN=authority &&
      openssl req $new -keyout server.key -out server.csr -subj /CN=server &&
      echo 'subjectAltName=\(name)' >names &&
      openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -days \(kind == .expired ? -1 : 2) -extfile names -out server.pem
      """
    guard try Spawn("/bin/bash", ["-c", script], standard: [nil, nil, nil]).run() == 0 else {
      throw Spawn.Failure(description: "openssl made no certificate")
    }
  }
}
