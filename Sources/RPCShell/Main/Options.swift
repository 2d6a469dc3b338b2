import RPCShell

/// Every option once: its name and whether it takes a value.
enum OptionKey: Int, OptionName, CaseIterable {
  case config, demo, framing, strict, drain, maxMessage, locale, timeZone, trace, output, quiet, force, help, version

  static let count = 14

  var text: StaticString {
    switch self {
    case .config: "config"
    case .demo: "demo"
    case .framing: "framing"
    case .strict: "strict"
    case .drain: "drain"
    case .maxMessage: "max-message"
    case .locale: "locale"
    case .timeZone: "time-zone"
    case .trace: "trace"
    case .output: "output"
    case .quiet: "quiet"
    case .force: "force"
    case .help: "help"
    case .version: "version"
    }
  }

  var takesValue: Bool {
    switch self {
    case .config, .framing, .drain, .maxMessage, .locale, .timeZone, .trace, .output: true
    case .demo, .strict, .quiet, .force, .help, .version: false
    }
  }
}

/// Which options were given, or may be: a bit for each.
struct OptionSelection: OptionSet {
  let rawValue: UInt32

  init(rawValue: UInt32) { self.rawValue = rawValue }
  init(_ key: OptionKey) { rawValue = 1 << UInt32(key.rawValue) }

  /// What a configuration could say, too, and which one that is.
  static let surroundings = OptionSelection(.config).union(Self(.demo)).union(Self(.locale)).union(Self(.timeZone))
}

/// The options of all commands.
struct Options {
  private(set) var given = OptionSelection(rawValue: 0)
  var config: String?
  var isDemo = false
  /// nil is both.
  var framing: Framing?
  var isStrict = false
  var drain: Duration?
  var maxMessage: Int?
  var locale: String?
  var timeZone: String?
  var trace: String?
  var output = OutputForm.json
  var isQuiet = false
  var isForced = false

  /// How a result is shown.
  enum OutputForm: String {
    case json, text
  }
}

extension Options {
  /// Takes over what is an option.
  mutating func apply(_ match: OptionTable<OptionKey>.Match) throws(UsageError) {
    switch match {
    case .option(let key, let value): try apply(key, value)
    case .operand: break
    case .unknown(let text):
      let hint = NearestName.hint(for: text, among: OptionKey.allCases.map { "--\($0.text)" })
      throw UsageError("unknown option '\(text)'\(hint)")
    case .missingValue(let text): throw UsageError("option '\(text)' needs a value")
    }
  }

  /// Takes over one option; of one that is given twice the last counts.
  private mutating func apply(_ key: OptionKey, _ value: String) throws(UsageError) {
    given.insert(OptionSelection(key))
    switch key {
    case .config: config = try fileName(value, key)
    case .demo: isDemo = true
    case .framing: framing = try framing(value)
    case .strict: isStrict = true
    case .drain: drain = try duration(value)
    case .maxMessage: maxMessage = try size(value)
    case .locale:
      guard LocaleIdentifier.isWellFormed(value) else {
        throw UsageError("--locale: " + LocaleIdentifier.refusal(of: value))
      }
      locale = value
    case .timeZone: timeZone = value
    case .trace: trace = try fileName(value, key)
    case .output: output = try outputForm(value)
    case .quiet: isQuiet = true
    case .force: isForced = true
    case .help, .version: break
    }
  }

  private func fileName(_ value: String, _ key: OptionKey) throws(UsageError) -> String {
    guard value.isEmpty else { return value }
    throw UsageError("--\(key.text): expected the name of a file, got ''")
  }

  private func framing(_ value: String) throws(UsageError) -> Framing? {
    if value == "auto" { return nil }
    guard let framing = Framing(rawValue: value) else {
      let hint = NearestName.hint(for: value, among: ["lines", "headers", "auto"])
      throw UsageError("--framing: expected 'lines', 'headers' or 'auto', got '\(value)'\(hint)")
    }
    return framing
  }

  private func duration(_ value: String) throws(UsageError) -> Duration {
    guard let seconds = Double(value), seconds >= 0, seconds <= 1e9 else {
      throw UsageError("--drain: expected seconds, like 2 or 0.5, got '\(value)'")
    }
    return .seconds(seconds)
  }

  private func size(_ value: String) throws(UsageError) -> Int {
    let largest = DecoderOptions.largest
    guard let bytes = Int(value), bytes >= 1, bytes <= largest else {
      throw UsageError("--max-message: expected a number of bytes from 1 to \(largest), got '\(value)'")
    }
    return bytes
  }

  private func outputForm(_ value: String) throws(UsageError) -> OutputForm {
    guard let form = OutputForm(rawValue: value) else {
      let hint = NearestName.hint(for: value, among: ["json", "text"])
      throw UsageError("--output: expected 'json' or 'text', got '\(value)'\(hint)")
    }
    return form
  }
}
