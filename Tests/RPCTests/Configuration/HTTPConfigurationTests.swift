import HTTPCall
import RPCShell
import Testing

@testable import Configuration

/// What a configuration file may say about servers.
struct HTTPConfigurationTests {
  private static func read(_ members: String) throws -> HTTPEndpoint? {
    let text = #"{"handlers":{"onRestore":{"adapter":"http"\#(members)}}}"#
    let view = try JSONDocument(wholeText: Array(text.utf8)).view
    let paths = ConfiguredPath(folder: "/app") { $0 == "HOME" ? "/home/me" : nil }
    let handler = try Configuration(checking: view, paths: paths) { _ in true }.handler(of: .onRestore)
    guard case .http(let endpoint, _) = handler?.adapter else { return nil }
    #expect(handler?.timeout == 60 && handler?.isCustom == true)
    return endpoint
  }

  private static let url = #","url":"https://billing.example/restore""#

  @Test func `says where calls go, and what they carry`() throws {
    let endpoint = try Self.read(
      Self.url
        + #"""
        ,"retries":0,"caFile":"certs/ca.pem","// why":"tests","headers":{
          "// 1":1,"X-Team":"blue","Authorization":{"env":"BILLING_TOKEN","prefix":"Bearer ","// note":""},
          "X-Key":{"file":"~/key"},"X-Other":{"file":"key","prefix":null}}
        """#)
    #expect(
      endpoint
        == HTTPEndpoint(
          url: WebAddress("https://billing.example/restore")!,
          headers: [
            HTTPHeader(name: "X-Team", source: .text("blue")),
            HTTPHeader(name: "Authorization", source: .variable("BILLING_TOKEN"), prefix: "Bearer "),
            HTTPHeader(name: "X-Key", source: .file("/home/me/key")),
            HTTPHeader(name: "X-Other", source: .file("/app/key")),
          ], retries: 0, caFile: "/app/certs/ca.pem"))
  }

  @Test(arguments: [
    ("https://a.example/price?x=1", nil), ("https://a.example:443/price", nil),
    ("https://b.example/price", "preview: expected the origin of url, which the headers are for"),
    ("http://a.example/price", "preview: expected \(WebAddress.expected)"),
  ])
  func `prices are asked of the same server`(preview: String, refusal: String?) throws {
    let text = #"{"handlers":{"onUpgrade":{"adapter":"http","url":"https://a.example/buy","preview":"\#(preview)"}}}"#
    let view = try JSONDocument(wholeText: Array(text.utf8)).view
    func read() throws -> Configuration.Adapter? {
      try Configuration(checking: view, paths: ConfiguredPath(folder: "/")) { _ in true }.handler(of: .onUpgrade)?
        .adapter
    }
    if let refusal {
      let violation = #expect(throws: SchemaViolation.self) { try read() }
      #expect(violation?.text == "handlers.onUpgrade." + refusal)
    } else {
      let endpoint = HTTPEndpoint(url: WebAddress("https://a.example/buy")!)
      #expect(try read() == .http(endpoint, preview: WebAddress(preview)))
    }
  }

  @Test(arguments: ["", #","headers":null,"retries":null,"caFile":null"#, #","headers":{}"#])
  func `has defaults`(members: String) throws {
    #expect(try Self.read(Self.url + members) == HTTPEndpoint(url: WebAddress("https://billing.example/restore")!))
    #expect(HTTPEndpoint.defaultRetries == 4)
  }

  @Test(arguments: [
    ("", "url: missing; expected \(WebAddress.expected)"),
    (#","url":1"#, "url: expected a string, got an integer"),
    (#","url":"http://secret@billing.example/""#, "url: expected \(WebAddress.expected)"),
    (url + #","retries":11"#, "retries: expected an integer from 0 to 10, got 11"),
    (url + #","retries":1.5"#, "retries: expected an integer from 0 to 10, got a number"),
    (url + #","caFile":"$NONE/ca.pem""#, "caFile: the variable '$NONE' is not set"),
    (url + #","headers":["secret"]"#, "headers: expected an object, got an array"),
    (url + #","headers":{"A":"secret\r\nB: x"}"#, "headers.A: expected no line breaks and controls"),
    (url + #","headers":{"A":"secret\u0000"}"#, "headers.A: expected no line breaks and controls"),
    (url + #","headers":{"A":""}"#, "headers.A: expected a string that is not empty"),
    (url + #","headers":{"A":7}"#, #"headers.A: expected a string, {"env":NAME} or {"file":PATH}, got an integer"#),
    (url + #","headers":{"A":{}}"#, "headers.A: expected exactly one of 'env', 'file'"),
    (url + #","headers":{"A":{"env":"A","file":"secret"}}"#, "headers.A: expected exactly one of 'env', 'file'"),
    (
      url + #","headers":{"A":{"env":"A","perfix":"secret"}}"#,
      "headers.A.perfix: unknown member; did you mean 'prefix'?"
    ),
    (url + #","headers":{"A":{"env":"A=secret"}}"#, "headers.A.env: expected the name of a variable"),
    (
      url + #","headers":{"A":{"env":"A","prefix":"secret\n"}}"#,
      "headers.A.prefix: expected no line breaks and controls"
    ),
    (url + #","headers":{"A":{"file":"$NONE"}}"#, "headers.A.file: the variable '$NONE' is not set"),
    (url + #","headers":{"A B":"secret"}"#, "headers.A B: expected the name of a header"),
    (url + #","headers":{"A:":"secret"}"#, "headers.A:: expected the name of a header"),
    (url + #","headers":{"":"secret"}"#, "headers.: expected the name of a header"),
    (
      url + #","headers":{"a":"x","A":"secret"}"#,
      "headers.A: expected each header once; large and small letters are the same"
    ),
    (
      url + #","headers":{"content-Length":"secret"}"#,
      "headers.content-Length: expected another header: this one comes with the call"
    ),
    (
      url + #","headers":{"Idempotency-Key":"secret"}"#,
      "headers.Idempotency-Key: expected another header: this one comes with the call"
    ),
  ])
  func `names what is wrong and never shows a value`(members: String, expected: String) throws {
    let violation = #expect(throws: SchemaViolation.self) { try Self.read(members) }
    #expect(violation?.text == "handlers.onRestore." + expected)
    #expect(violation?.text.contains("secret") == false)
  }
}
