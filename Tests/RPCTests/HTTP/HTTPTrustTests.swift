import Testing

/// Whom the helper talks to, and whom it tells the headers.
@Suite(.serialized, .timeLimit(.usualMinutes(2)))
struct HTTPTrustTests {
  private static let headers = ["headers": #"{"Authorization":"s3cret"}"#]

  // MARK: TLS

  @Test func `talks to a server whose certificate is trusted`() async throws {
    let certificate = try Certificate()
    try await FaultServer.run(certificate) { server in
      let call = HelperCall(url: server.url("done"), members: ["caFile": "\"\(certificate.authority)\""])
      let ending = try await call.run()
      #expect(ending.texts == [#"{"outcome":"completed","restored":1}"#] && ending.exit == .status(0))
    }
  }

  @Test(arguments: [
    (Certificate.Kind.good, false, "SSL certificate problem: unable to get local issuer certificate"),
    (.expired, true, "SSL certificate problem: certificate has expired"),
    (.otherName, true, "SSL: no alternative certificate subject name matches target host name '127.0.0.1'"),
  ])
  func `sends nothing to another, and does not insist`(
    kind: Certificate.Kind, isTrusted: Bool, error: String
  ) async throws {
    let certificate = try Certificate(kind)
    try await FaultServer.run(certificate) { server in
      var call = HelperCall(url: server.url("done"), members: Self.headers)
      if isTrusted { call.members["caFile"] = "\"\(certificate.authority)\"" }
      let ending = try await call.run()
      #expect(ending.texts == [#"{"outcome":"failed"}"#])
      #expect(ending.errors == ["https://127.0.0.1:\(server.port): \(error)"])
      #expect(server.requests == [])
    }
  }

  @Test func `a file of certificates that is not there is a failure`() async throws {
    let ending = try await HelperCall(url: "https://127.0.0.1:1/", members: ["caFile": "\"/nowhere/ca.pem\""]).run()
    #expect(ending.exit == .status(1))
    #expect(ending.errors.count == 1)
  }

  // MARK: Redirects

  @Test(arguments: [307, 308])
  func `goes with all it has to another place of the same origin`(status: Int) async throws {
    try await FaultServer.run { server in
      let ending = try await HelperCall(url: server.url("redirect/\(status)/done"), members: Self.headers).run()
      #expect(ending.exit == .status(0))
      _ = try await server.next()
      let second = try await server.next()
      #expect(second.at("path") == "\"/done\"" && second.at("method") == "\"POST\"")
      #expect(second.at("headers.Authorization") == "\"s3cret\"")
      #expect(second.at("headers.Idempotency-Key") == "\"key-1\"")
      #expect(second.at("body")?.contains("onRestore") == true)
    }
  }

  @Test func `tells no header to another origin`() async throws {
    let certificate = try Certificate()
    try await FaultServer.run(certificate) { other in
      try await FaultServer.run { server in
        let target = "https:/127.0.0.1:\(other.port)/done"
        var call = HelperCall(url: server.url("redirect/307/\(target)"), members: Self.headers)
        call.members["caFile"] = "\"\(certificate.authority)\""
        let ending = try await call.run()
        #expect(ending.exit == .status(0))
        #expect(try await server.next().at("headers.Authorization") == "\"s3cret\"")
        let second = try await other.next()
        #expect(second.at("method") == "\"POST\"" && second.at("headers.Idempotency-Key") == "\"key-1\"")
        #expect(second.at("headers.Authorization") == nil)
      }
    }
  }

  private static let refusal =
    "where no call may go: only https is followed; if the server has moved, configure the URL where it is now"

  @Test func `does not go from https to http`() async throws {
    let certificate = try Certificate()
    try await FaultServer.run { plain in
      try await FaultServer.run(certificate) { server in
        let target = "http:/127.0.0.1:\(plain.port)/done"
        let call = HelperCall(
          url: server.url("redirect/308/\(target)"), members: ["caFile": "\"\(certificate.authority)\""])
        let ending = try await call.run()
        #expect(
          ending.errors == [
            "https://127.0.0.1:\(server.port): redirects to http://127.0.0.1:\(plain.port), " + Self.refusal
          ])
        #expect(plain.requests == [])
      }
    }
  }

  @Test(arguments: [
    ("redirect/301/done", "answered 301; only 307 and 308 redirect a POST"),
    ("redirect/302/done", "answered 302; only 307 and 308 redirect a POST"),
    ("redirect/303/done", "answered 303; only 307 and 308 redirect a POST"),
    ("redirect/307/redirect/307/redirect/307/redirect/307/redirect/307/redirect/307/done", "more than 5 redirects"),
    ("redirect/307/http:/localhost:1/secret", "redirects to http://localhost:1, " + refusal),
    ("redirect/307/http:/user@127.0.0.1/", "redirects to http://127.0.0.1, " + refusal),
    ("status/307", "answered 307 without a Location that says where to call instead"),
    ("status/308", "answered 308 without a Location that says where to call instead"),
  ])
  func `goes nowhere else`(path: String, error: String) async throws {
    try await FaultServer.run { server in
      let ending = try await HelperCall(url: server.url(path)).run()
      #expect(ending.texts == [#"{"outcome":"failed"}"#])
      #expect(ending.errors == ["http://127.0.0.1:\(server.port): \(error)"])
      #expect(!server.requests.contains { $0.at("path") == "\"/done\"" })
    }
  }

  @Test func `follows five redirects`() async throws {
    try await FaultServer.run { server in
      let path = String(repeating: "redirect/307/", count: 5) + "done"
      let ending = try await HelperCall(url: server.url(path)).run()
      #expect(ending.exit == .status(0))
    }
  }

  // MARK: Secrets

  @Test(arguments: [
    ("/nowhere/token", "", "the file '/nowhere/token' cannot be read: No such file or directory"),
    ("token", "", "the file 'FILE' is empty"), ("token", "\n", "the file 'FILE' is empty"),
    ("token", "a\nX-Admin: 1\n", "the file 'FILE' has line breaks, controls or what is not UTF-8"),
    ("token", "a\u{0}b", "the file 'FILE' has line breaks, controls or what is not UTF-8"),
    ("token", String(repeating: "x", count: 70_000), "the file 'FILE' has more than 64 KiB"),
  ])
  func `says which file has no value, and sends nothing`(name: String, content: String, reason: String) async throws {
    let folder = try TemporaryFolder()
    let file = name.hasPrefix("/") ? name : folder.write(name, content)
    try await FaultServer.run { server in
      let headers = ["headers": #"{"Authorization":{"file":"\#(file)"}}"#]
      let ending = try await HelperCall(url: server.url("done"), members: headers).run()
      let path = reason.split(separator: "FILE", omittingEmptySubsequences: false).joined(separator: file)
      let message = "There is no value for the header 'Authorization': " + path
      #expect(ending.errors == [message])
      #expect(ending.frames.map { $0.at("message") } == ["\"\(message)\""])
      #expect(ending.exit == .status(1) && server.requests == [])
    }
  }

  @Test(arguments: ["s3cret", "s3cret\n", "s3cret\r\n"])
  func `a line end behind the value does not count`(content: String) async throws {
    let folder = try TemporaryFolder()
    try await FaultServer.run { server in
      let headers = ["headers": #"{"X-Key":{"file":"\#(folder.write("token", content))"}}"#]
      _ = try await HelperCall(url: server.url("done"), members: headers).run()
      #expect(try await server.next().at("headers.X-Key") == "\"s3cret\"")
    }
  }
}
