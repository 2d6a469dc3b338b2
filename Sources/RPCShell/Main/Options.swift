import RPCShell

/// What the command line asks for.
enum Command {
  case serve(ServeOptions)
  case help
  case version
}

/// The options of a session.
struct ServeOptions {
  var isDemo = false
  var framing: Framing?
  var isStrict = false
  var drain: Duration?
  var maxMessage: Int?
  var locale: String?
  var timeZone: String?
  var trace: String?
}

/// Arguments that make no sense: shown with a hint, status 2.
struct UsageError: Error {
  var text: String
}

extension Command {
  /// Every option once: its name and whether it takes a value.
  private enum Name: Int, OptionName, CaseIterable {
    case demo, framing, strict, drain, maxMessage, locale, timeZone, trace, help, version

    static let count = 10

    var text: StaticString {
      switch self {
      case .demo: "demo"
      case .framing: "framing"
      case .strict: "strict"
      case .drain: "drain"
      case .maxMessage: "max-message"
      case .locale: "locale"
      case .timeZone: "time-zone"
      case .trace: "trace"
      case .help: "help"
      case .version: "version"
      }
    }

    var takesValue: Bool {
      switch self {
      case .framing, .drain, .maxMessage, .locale, .timeZone, .trace: true
      case .demo, .strict, .help, .version: false
      }
    }
  }

  /// Reads the process's arguments.
  static func parse() throws(UsageError) -> Command {
    var options = ServeOptions()
    let table = OptionTable<Name>()
    while let match = table.next() {
      switch match {
      case .option(.help, _): return .help
      case .option(.version, _): return .version
      case .option(let name, let value): try apply(name, value, to: &options)
      case .unknown(let text):
        let hint = NearestName.hint(for: text, among: Name.allCases.map { "--\($0.text)" })
        throw UsageError(text: "unknown option '\(text)'\(hint)")
      case .missingValue(let text): throw UsageError(text: "option '\(text)' needs a value")
      }
    }
    if let argument = table.firstOperand { throw UsageError(text: "unexpected argument '\(argument)'") }
    return .serve(options)
  }

  private static func apply(_ name: Name, _ value: String, to options: inout ServeOptions) throws(UsageError) {
    switch name {
    case .demo: options.isDemo = true
    case .strict: options.isStrict = true
    case .framing: options.framing = try framing(value)
    case .drain:
      guard let seconds = Double(value), seconds >= 0, seconds <= 1e9 else {
        throw UsageError(text: "--drain: expected seconds, like 2 or 0.5, got '\(value)'")
      }
      options.drain = .seconds(seconds)
    case .maxMessage:
      let largest = DecoderOptions.largest
      guard let bytes = Int(value), bytes >= 1, bytes <= largest else {
        throw UsageError(text: "--max-message: expected a number of bytes from 1 to \(largest), got '\(value)'")
      }
      options.maxMessage = bytes
    case .locale:
      guard LocaleIdentifier.isWellFormed(value) else {
        throw UsageError(text: "--locale: expected an identifier like 'en_US' or 'pt-BR', got '\(value)'")
      }
      options.locale = value
    case .timeZone: options.timeZone = value
    case .trace:
      guard !value.isEmpty else { throw UsageError(text: "--trace: expected the name of a file, got ''") }
      options.trace = value
    case .help, .version: break
    }
  }

  private static func framing(_ value: String) throws(UsageError) -> Framing? {
    if value == "auto" { return nil }
    guard let framing = Framing(rawValue: value) else {
      let hint = NearestName.hint(for: value, among: ["lines", "headers", "auto"])
      throw UsageError(text: "--framing: expected 'lines', 'headers' or 'auto', got '\(value)'\(hint)")
    }
    return framing
  }
}
