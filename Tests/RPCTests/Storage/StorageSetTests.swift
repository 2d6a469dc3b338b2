import AccountModel
import RPCShell
import StoragePlugin
import Testing

/// What a host hands over, and what a person decides.
@Suite(.timeLimit(.usualMinutes(1)))
struct StorageSetTests {
  private static let most = Int.max

  @Test(
    arguments: [
      (#"{"downloads":[],"cache":-1,"photos":0,"other":0}"#, "usage.cache"),
      (#"{"downloads":[],"cache":1.5,"photos":0,"other":0}"#, "usage.cache"),
      (#"{"downloads":[],"cache":"1","photos":0,"other":0}"#, "usage.cache"),
      (#"{"downloads":[],"cache":0,"photos":0}"#, "usage.other"),
      (#"{"downloads":[],"cache":0,"photos":null,"other":0}"#, "usage.photos"),
      (#"{"downloads":{},"cache":0,"photos":0,"other":0}"#, "usage.downloads"),
      (#"{"downloads":[],"cache":0,"photos":0,"other":0,"more":1}"#, "usage.more"),
      (#"{"downloads":[],"cache":0,"photos":0,"other":0,"free":-5}"#, "usage.free"),
      (#"{"downloads":[],"cache":0,"photos":0,"other":0,"total":0}"#, "usage.total"),
      (
        #"{"downloads":[{"id":"a","title":"A","bytes":-1}],"cache":0,"photos":0,"other":0}"#, "usage.downloads[0].bytes"
      ),
      (#"{"downloads":[{"id":"","title":"A","bytes":1}],"cache":0,"photos":0,"other":0}"#, "usage.downloads[0].id"),
      (#"{"downloads":[{"id":"a","bytes":1}],"cache":0,"photos":0,"other":0}"#, "usage.downloads[0].title"),
      (
        #"{"downloads":[{"id":"a","title":"A","bytes":1,"completedAt":"2026-02-30"}],"cache":0,"photos":0,"other":0}"#,
        "usage.downloads[0].completedAt"
      ),
      (
        #"{"downloads":[{"id":"a","title":"A","bytes":1},{"id":"a","title":"B","bytes":1}],"cache":0,"photos":0,"other":0}"#,
        "usage.downloads[1].id"
      ),
      (#"{"downloads":[],"cache":\#(most),"photos":1,"other":0}"#, "usage"),
      (
        #"{"downloads":[{"id":"a","title":"A","bytes":\#(most)}],"cache":0,"photos":0,"other":1}"#, "usage"
      ),
      ("[]", "usage"), ("7", "usage"),
    ])
  func `a wrong usage is refused with its path, and what was shown stays`(usage: String, path: String) throws {
    let rig = StorageRig()
    try rig.call("storage.set", params: #"{"usage":\#(usage)}"#)
    let reply = rig.received(1)[0]
    #expect(reply.errorCode == -32602)
    #expect(reply.at("error.data.path") == "\"\(path)\"")
    #expect(try rig.shown("revision") == "0")
    #expect(try rig.shown("state.usage.total") == "4800000000")
  }

  @Test(arguments: ["{}", #"{"usages":{}}"#, #"{"usage":null,"refreshing":1}"#])
  func `set needs a usage, or to know that one is being read`(params: String) throws {
    let rig = StorageRig()
    try rig.call("storage.set", params: params)
    #expect(rig.received(1)[0].errorCode == -32602)
  }

  @Test func `the largest usage of all is shown`() throws {
    let rig = StorageRig(usage: nil)
    try rig.set(StorageUsage(cache: .max - 3, photos: 1, other: 2))
    #expect(rig.lines.count == 2)
    #expect(try rig.shown("state.usage.total") == "\(Int.max)")
    #expect(try rig.shown("state.bar.segments.1.share") == "1")
  }

  @Test func `null is loading again`() throws {
    let rig = StorageRig()
    try rig.call("storage.setEditing", params: #"{"editing":true}"#)
    _ = rig.take(2)
    try rig.call("storage.set", params: #"{"usage":null}"#)
    #expect(
      rig.take(2) == [
        StorageLines.event(
          2, "set",
          [
            #""usage":null,"loading":true,"summary":null,"bar":null,"legend":null"#,
            StorageLines.clear("idle", enabled: false), #""downloads":null"#,
          ]), StorageLines.reply(#"{"revision":2}"#),
      ])
    try rig.set(.sample)
    #expect(try rig.shown("state.downloads.editing") == "false")
  }

  @Test func `ids that only look the same are two downloads`() throws {
    let rig = StorageRig(
      usage: StorageUsage(downloads: [
        Download(id: "\u{E9}", title: "One", bytes: 1), Download(id: "e\u{301}", title: "Two", bytes: 2),
      ]))
    #expect(try rig.shown("state.downloads.count") == "2")
    try rig.call("storage.remove", params: #"{"id":"é"}"#)
    #expect(rig.remover.calls.count == 1)
  }

  // MARK: Options

  private static let shown =
    #""options":{"title":"Options","cellular":true,"cellularLabel":"Download over cellular","quality":"standard","qualityLabel":"Download quality","qualityText":"Standard","qualityChoices":[{"value":"dataSaver","text":"Data saver"},{"value":"standard","text":"Standard"},{"value":"high","text":"High"}],"autoRemove":"never","autoRemoveLabel":"Remove finished","autoRemoveText":"Never","autoRemoveChoices":[{"value":"never","text":"Never"},{"value":"day","text":"After 1 day"},{"value":"week","text":"After 1 week"},{"value":"month","text":"After 1 month"}]}"#

  @Test(arguments: [true, false])
  func `the cellular switch ticks, loading or not`(isLoading: Bool) throws {
    let rig = StorageRig(usage: isLoading ? nil : .sample)
    try rig.call("storage.setOptions", params: #"{"cellular":true}"#)
    #expect(
      rig.take(2) == [
        StorageLines.event(1, "setOptions", [Self.shown], feedback: "selection"),
        StorageLines.reply(#"{"cellular":true,"quality":"standard","autoRemove":"never"}"#),
      ])
    #expect(rig.keptOptions.map(\.cellular) == [true])
    try rig.call("storage.setOptions", params: #"{"cellular":true}"#)
    #expect(rig.take(1) == [StorageLines.reply(#"{"cellular":true,"quality":"standard","autoRemove":"never"}"#)])
    #expect(rig.keptOptions.count == 1)
  }

  @Test(
    arguments: [
      (#"{"quality":"dataSaver"}"#, "qualityText", "Data saver"), (#"{"quality":"high"}"#, "qualityText", "High"),
      (#"{"autoRemove":"day"}"#, "autoRemoveText", "After 1 day"),
      (#"{"autoRemove":"week"}"#, "autoRemoveText", "After 1 week"),
      (#"{"autoRemove":"month"}"#, "autoRemoveText", "After 1 month"),
    ])
  func `a menu changes without a tick`(params: String, path: String, text: String) throws {
    let rig = StorageRig()
    try rig.call("storage.setOptions", params: params)
    let event = rig.received(2)[0]
    #expect(event.at("params.state.options." + path) == "\"\(text)\"")
    #expect(event.at("params.feedback") == nil && event.at("params.announcement") == nil)
    #expect(event.sections == ["options"])
  }

  @Test(arguments: [
    (#"{"quality":"best"}"#, "quality"), (#"{"autoRemove":"year"}"#, "autoRemove"), (#"{"cellular":1}"#, "cellular"),
    (#"{"celular":true}"#, "celular"),
  ])
  func `wrong options are refused`(params: String, path: String) throws {
    let rig = StorageRig()
    try rig.call("storage.setOptions", params: params)
    let reply = rig.received(1)[0]
    #expect(reply.errorCode == -32602 && reply.at("error.data.path") == "\"\(path)\"")
    #expect(rig.keptOptions.isEmpty)
  }

  @Test func `options that cannot be kept count for the session`() throws {
    let rig = StorageRig()
    rig.breakOptions("disk full")
    try rig.call("storage.setOptions", params: #"{"quality":"high"}"#)
    #expect(rig.take(3)[0] == "log: the options count for this session only: disk full")
    #expect(try rig.shown("state.options.quality") == #""high""#)
  }

  @Test func `options that were kept are shown`() throws {
    var options = StorageOptions()
    options.quality = .high
    let rig = StorageRig(options: options)
    #expect(try rig.shown("state.options.qualityText") == #""High""#)
    #expect(try rig.shown("revision") == "0")
  }

  // MARK: Editing

  @Test func `editing turns Edit to Done`() throws {
    let rig = StorageRig()
    try rig.call("storage.setEditing", params: #"{"editing":true}"#)
    let lines = rig.received(2)
    #expect(lines[0].sections == ["downloads"])
    #expect(lines[0].at("params.cause") == #""setEditing""#)
    #expect(lines[0].at("params.state.downloads.editLabel") == #""Done""#)
    #expect(lines[0].at("params.motion") == nil && lines[0].at("params.feedback") == nil)
    #expect(lines[1].text == StorageLines.reply(#"{"revision":1}"#))
    try rig.call("storage.setEditing", params: #"{"editing":true}"#)
    #expect(rig.take(1) == [StorageLines.reply(#"{"revision":1}"#)])
    try rig.call("storage.setEditing", params: #"{"editing":false}"#)
    #expect(rig.received(2)[0].at("params.state.downloads.editLabel") == #""Edit""#)
  }

  @Test(
    arguments: [(StorageUsage(), nil), (.sample, .onRemove), (nil, nil)] as [(StorageUsage?, HostAction?)])
  func `there is nothing to edit where nothing can be removed`(usage: StorageUsage?, unbound: HostAction?) throws {
    let rig = StorageRig(usage: usage, unbound: unbound.map { [$0] } ?? [])
    try rig.call("storage.setEditing", params: #"{"editing":true}"#)
    #expect(rig.take(1) == [StorageLines.reply(#"{"revision":0}"#)])
  }

  @Test func `editing closes itself with the usage that has no downloads`() throws {
    let rig = StorageRig()
    try rig.call("storage.setEditing", params: #"{"editing":true}"#)
    _ = rig.take(2)
    try rig.set(.sample { $0.downloads = [] })
    let event = rig.received(2)[0]
    #expect(event.at("params.state.downloads.editing") == "false")
    #expect(event.at("params.state.downloads.editLabel") == "null")
    #expect(event.at("params.state.downloads.emptyText") == #""No downloads""#)
  }

  // MARK: The client

  @Test func `a client that takes over an action changes what can be done, once it knows a state`() throws {
    var environment = Environment(locale: "de_DE", timeZone: "Europe/Berlin")
    environment.hostActions = [.onClearCache, .onRemove]
    let rig = StorageRig(unbound: [.onClearCache, .onRemove])
    try rig.call("storage.get")
    _ = rig.take(1)
    rig.with { [environment] in $0.environmentChanged(environment) }
    let event = rig.received(1)[0]
    #expect(event.at("params.cause") == #""initialize""#)
    #expect(event.at("params.requestId") == nil)
    #expect(event.sections == ["clear", "downloads", "locale", "timeZone"])
    #expect(event.at("params.state.clear.enabled") == "true")
    #expect(event.at("params.state.downloads.canRemove") == "true")
    rig.with { [environment] in $0.environmentChanged(environment) }
    #expect(rig.lines.isEmpty)
  }

  @Test func `before the first call a client that says who it is hears nothing`() throws {
    let rig = StorageRig()
    rig.with { $0.environmentChanged(Environment(locale: "de_DE")) }
    #expect(rig.lines.isEmpty)
    #expect(try rig.shown("state.locale") == #""de_DE""#)
    #expect(try rig.shown("revision") == "0")
  }
}
