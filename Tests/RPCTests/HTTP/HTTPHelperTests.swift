import Glibc
import HTTPCall
import Testing

@testable import HTTPHelper
@testable import RPCShell

/// The helper that makes a call over HTTP, against a real server.
@Suite(.serialized, .timeLimit(.usualMinutes(2)))
struct HTTPHelperTests {
  private static let done = #"{"outcome":"completed","restored":1}"#
  private static let failed = #"{"outcome":"failed"}"#
  private static let again = #"{"progress":null,"message":"Trying again"}"#

  // MARK: Calls

  @Test func `posts the call with its key and the configured headers`() async throws {
    try await FaultServer.run { server in
      let secrets = try TemporaryFolder()
      let file = secrets.write("token", "s3cret\n")
      let headers = #"{"Authorization":{"file":"\#(file)","prefix":"Bearer "},"X-Team":"blue"}"#
      let ending = try await HelperCall(url: server.url("done"), members: ["headers": headers]).run()
      #expect(ending.texts == [Self.done] && ending.errors == [] && ending.exit == .status(0))
      let request = try await server.next()
      #expect(request.at("method") == "\"POST\"")
      #expect(request.at("body") == #""{\"action\":\"onRestore\",\"n\":1.50}""#)
      for (name, value) in [
        "Content-Type": "application/json", "Idempotency-Key": "key-1", "Authorization": "Bearer s3cret",
        "X-Team": "blue", "User-Agent": "rpcshell-http",
      ] { #expect(request.at("headers.\(name)") == "\"\(value)\"") }
      #expect(server.requests.count == 1)
    }
  }

  /// What a path answers: what the helper prints and its status, with one retry at most.
  struct Case: Sendable, CustomTestStringConvertible {
    let path: String
    let printed: [String]
    var error: String?
    var status: Int32 = 0
    /// How often the server was asked.
    var requests = 1

    var testDescription: String { path }

    /// Fine at the second try.
    static func mended(_ path: String) -> Case {
      Case(path: path, printed: [again, done], requests: 2)
    }

    static func failed(_ path: String, _ error: String, message: String? = nil) -> Case {
      let line = message.map { #"{"outcome":"failed","message":"\#($0)"}"# } ?? HTTPHelperTests.failed
      return Case(path: path, printed: [line], error: error, status: 1)
    }
  }

  @Test(arguments: [
    Case(path: "pretty", printed: [#"{"outcome":"completed","restored":2}"#]), Case(path: "empty", printed: ["{}"]),
    Case(path: "slow", printed: [done]),
    Case(path: "declined/499", printed: [#"{"outcome":"cancelled"}"#], status: 130),
    .failed("declined/402", "answered 402", message: "Your card was declined."),
    .failed("status/404", "answered 404", message: "Slow down."),
    .failed("text", "the answer is no JSON: line 1, column 1: expected a value"),
    .failed("huge/promised", "the answer is longer than 1 MiB"),
    .failed("huge/unsaid", "the answer is longer than 1 MiB"),
    .failed("headers", "the answer's headers are longer than 128 KiB"),
    .failed("status/429/1/3600", "answered 429", message: "Slow down."),
    .mended("status/500/1"), .mended("status/503/1"), .mended("status/429/1"), .mended("cut/1"), .mended("chunk/1"),
    .mended("short/1"),
    .mended("unframed/1"), .mended("nothing/1"),
    Case(
      path: "cut", printed: [again, failed], error: "transfer closed with 26 bytes remaining to read", status: 1,
      requests: 2),
    Case(path: "status/500", printed: [again, failed], error: "answered 500", status: 1, requests: 2),
  ])
  func `answers as the server does, and tries again what may be mended`(expected: Case) async throws {
    try await FaultServer.run { server in
      let ending = try await HelperCall(url: server.url(expected.path)).run()
      #expect(ending.texts == expected.printed)
      #expect(ending.errors == expected.error.map { ["http://127.0.0.1:\(server.port): " + $0] } ?? [])
      #expect(ending.exit == .status(expected.status))
      for _ in 0..<expected.requests { #expect(try await server.next().at("key") == "\"key-1\"") }
      #expect(server.requests.count == expected.requests)
    }
  }

  @Test func `what is left on a connection is not the answer to the next try`() async throws {
    try await FaultServer.run { server in
      let ending = try await HelperCall(url: server.url("stale/1")).run()
      #expect(ending.texts == [Self.again, Self.done])
    }
  }

  @Test func `no more than the bound is read of a body that does not end`() async throws {
    try await FaultServer.run { server in
      _ = try await HelperCall(url: server.url("huge/unsaid")).run()
      _ = try await server.next()
      let sent = try await Int(server.next().at("sent") ?? "")
      #expect(sent! < 50_000_000, "the connection was closed, and the system's buffers are small")
    }
  }

  @Test(arguments: ["1", "date"])
  func `waits as long as the server says, and says so`(after: String) async throws {
    try await FaultServer.run { server in
      let start = MonotonicTime.now
      let ending = try await HelperCall(url: server.url("status/429/1/\(after)")).run()
      #expect(ending.texts.first?.hasPrefix(#"{"progress":null,"message":"Trying again in "#) == true)
      #expect(ending.texts.dropFirst() == [Self.again, Self.done])
      #expect(MonotonicTime.now.duration(to: start) < .milliseconds(-900))
    }
  }

  @Test func `does not begin a try that the time of the call does not reach`() async throws {
    try await FaultServer.run { server in
      var call = HelperCall(url: server.url("status/503/1/9"))
      call.timeout = 5
      let ending = try await call.run()
      #expect(ending.texts == [Self.failed])
      #expect(server.requests.count <= 1)
    }
  }

  @Test func `ends by itself soon after the time of the call`() async throws {
    try await FaultServer.run { server in
      var call = HelperCall(url: server.url("hang"))
      call.timeout = 0.1
      let ending = try await call.run()
      #expect(ending.texts == [Self.failed] && ending.exit == .status(1))
      #expect(ending.errors.first?.contains("timed out") == true)
    }
  }

  @Test func `SIGTERM ends it at once`() async throws {
    try await FaultServer.run { server in
      let ending = try await RunningShell.run(.init(try Binary.httpHelper)) { helper in
        try await helper.send(HelperCall(url: server.url("hang")).input)
        helper.end()
        _ = try await server.next()
        helper.signal(SIGTERM)
        #expect(try await helper.exit == .signal(SIGTERM))
        #expect(try await server.next().at("gone") == "true")
      }
      #expect(ending.texts == [])
    }
  }

  // MARK: Nobody there

  @Test(arguments: [
    ("http://127.0.0.1:1/", "http://127.0.0.1:1: Failed to connect"),
    ("https://no-such-host.invalid/", "https://no-such-host.invalid: Could not resolve host"),
  ])
  func `tries again where nobody answers`(url: String, error: String) async throws {
    let ending = try await HelperCall(url: url).run()
    #expect(ending.texts == [Self.again, Self.failed])
    #expect(ending.errors.count == 1 && ending.errors[0].hasPrefix(error))
    #expect(ending.exit == .status(1))
  }

  @Test func `what is no HTTP is not asked again`() async throws {
    try await FaultServer.run { server in
      let ending = try await HelperCall(url: server.url("noise")).run()
      #expect(ending.texts == [Self.failed])
    }
  }

  // MARK: Bad calls

  @Test(arguments: [
    ("", "expected a call on stdin; rpcshell starts this program"), ("{", "line 1, column 2: the text ends too soon"),
    ("{}", "url: missing; expected \(WebAddress.expected)"),
    (
      #"{"url":"http://billing.example/"}"#,
      "url: expected an https URL without user and fragment; http only to localhost, 127.0.0.1 or [::1]"
    ),
  ])
  func `says what is wrong with its input`(input: String, error: String) async throws {
    let ending = try await RunningShell.run(.init(try Binary.httpHelper), input: input)
    #expect(ending.errors == ["rpcshell-http: " + error])
    #expect(ending.texts == [] && ending.exit == .status(2))
  }
}
