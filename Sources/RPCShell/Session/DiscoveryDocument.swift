/// The answer of `rpc.discover`: an OpenRPC 1.3 document (spec.open-rpc.org), made from the routes themselves.
struct DiscoveryDocument {
  let text: JSONText

  /// - Parameter remote: entries of methods that are somewhere else.
  init(version: String, routes: [Route], remote: [JSONText] = []) {
    text = JSONText { writer in
      writer.object { document in
        document.member("openrpc", "1.3.2")
        document.key("info")
        document.object { info in
          info.member("title", "rpcshell")
          info.member("version", version)
        }
        document.key("methods")
        document.array { list in
          for method in ShellMethod.allCases { list.object { Self.write(method, to: &$0) } }
          for route in routes { list.object { Self.write(route, to: &$0) } }
          for entry in remote { list.text(entry) }
        }
      }
    }
  }

  private static func write(_ route: Route, to writer: inout JSONWriter) {
    writer.member("name", route.name)
    writer.member("summary", route.summary)
    writer.member("paramStructure", route.positional.isEmpty ? "by-name" : "either")
    write(parameters: route.params(), to: &writer)
    write(result: route.result(), to: &writer)
  }

  private static func write(_ method: ShellMethod, to writer: inout JSONWriter) {
    writer.member("name", method.rawValue)
    writer.member("summary", method.summary)
    writer.member("paramStructure", "by-name")
    write(parameters: method.params, to: &writer)
    if let result = method.result { write(result: result, to: &writer) }
  }

  private static func write(parameters: [Schema.Property], to writer: inout JSONWriter) {
    writer.key("params")
    writer.array { list in
      for parameter in parameters {
        list.object { descriptor in
          descriptor.member("name", "\(parameter.name)")
          if let summary = parameter.summary { descriptor.member("summary", summary) }
          descriptor.member("required", parameter.isRequired)
          descriptor.key("schema")
          parameter.published.write(to: &descriptor)
        }
      }
    }
  }

  private static func write(result: Schema, to writer: inout JSONWriter) {
    writer.key("result")
    writer.object { descriptor in
      descriptor.member("name", "result")
      descriptor.key("schema")
      result.write(to: &descriptor)
    }
  }
}

extension ShellMethod {
  fileprivate var summary: String {
    switch self {
    case .ping: "answers with its own parameters, text for text"
    case .initialize: "tells who the host is and how the person reads; optional"
    case .initialized: "accepted"
    case .shutdown: "refuses further requests; 'exit' follows"
    case .exit: "ends the session"
    case .cancel: "stops a request, which is then answered with -32800 or its result"
    case .progress: "reports on what the host was asked to do"
    case .setTrace: "switches $/logTrace notifications"
    case .setEnvironment: "tells what has changed of how the person reads since initialize"
    case .discover: "this document"
    }
  }

  var params: [Schema.Property] {
    switch self {
    case .initialize: Session.initializeParams
    case .cancel: [.required("id", .any, "the id of the request, a string or a number")]
    case .progress: Session.progressParams
    case .setEnvironment: Session.environmentParams
    case .setTrace: [.required("value", .choice(TraceValue.allCases.map(\.rawValue)))]
    default: []
    }
  }

  /// nil for what is only ever a notification.
  fileprivate var result: Schema? {
    switch self {
    case .ping, .discover, .initialize: .any
    case .shutdown: .nullable(.any)
    case .initialized, .exit, .cancel, .progress, .setTrace, .setEnvironment: nil
    }
  }
}
