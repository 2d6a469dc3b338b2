import Testing

@testable import RPCShell

/// The scanner against libjansson, on random texts that are nearly JSON. `Fuzz/` does the same for longer.
struct ScannerAgreementTests {
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `agrees with libjansson`(seed: UInt64) {
    var writer = RandomText(seed: seed)
    var accepted = 0
    let rounds = 5000
    for _ in 0..<rounds {
      // A number that ends with the text would be unfinished to the scanner.
      let bytes = writer.next() + [UInt8(ascii: "\n")]
      // libjansson 2.14 passes over a NUL behind a number or a word.
      let expected = !bytes.contains(0) && bytes.withUnsafeBytes { (try? JSONDocument(parsing: $0)) != nil }
      let verdict = Scanned(bytes, slack: writer.slack).verdict
      #expect(
        Self.isAccepted(bytes, verdict) == expected,
        "\(verdict) for \(String(decoding: bytes, as: UTF8.self).debugDescription)")
      accepted += expected ? 1 : 0
    }
    // A generator that makes only bad texts, or only good ones, would prove little.
    #expect((rounds / 5...rounds * 4 / 5).contains(accepted))
  }

  /// Whether the bytes hold one value and blanks.
  private static func isAccepted(_ bytes: [UInt8], _ verdict: JSONScanner.Verdict) -> Bool {
    switch verdict {
    case .complete(let end): bytes[end...].allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    case .incomplete, .invalid: false
    }
  }
}

/// Makes JSON texts, most of them then damaged.
private struct RandomText {
  private var random: SeededGenerator
  private var text: [UInt8] = []

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private static let words = ["true", "false", "null"]
  private static let numbers = [
    "0", "-0", "-1", "12", "1.5", "-0.25", "1e5", "2E-3", "6.0e+2", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "-9223372036854775809", "123456789012345678", "1e308", "1e309", "1e-400", "01", "1.", "1e",
  ]
  // None of them can become an `id`, whose number may be of any size, by the change of one byte.
  private static let names = [
    "a", "b", "", "method", "params", "abcdefghX", "abcdefghY", #"\u0061"#, "é", #"\n"#, #"x\u0000"#,
  ]
  private static let strings = [
    "", "a", "longer than one word", #"\"\\\/\b\f\n\r\t"#, #"\u00e9"#, #"\uD83D\uDE00"#, #"\uD83D"#, #"\uDE00"#,
    #"\u0000"#,
    "é€😀", "\u{2028}", "\u{7F}",
  ]
  private static let damage =
    Array("{}[]\",:\\u0129eE.+-tfn \n\t/".utf8) + [0x00, 0x1F, 0x7F, 0x80, 0xC0, 0xE2, 0xED, 0xF4, 0xFF]

  /// A byte to put behind the text.
  var slack: Character { text.count % 2 == 0 ? "}" : #"""# }

  mutating func next() -> [UInt8] {
    text = []
    blanks()
    container(depth: 0)
    blanks()
    for _ in 0..<[0, 0, 1, 1, 2].randomElement(using: &random)! { damageOneByte() }
    return text
  }

  private mutating func damageOneByte() {
    guard let at = text.indices.randomElement(using: &random) else { return }
    let byte = Self.damage.randomElement(using: &random)!
    switch Int.random(in: 0..<4, using: &random) {
    case 0: text.remove(at: at)
    case 1: text.insert(byte, at: at)
    case 2: text[at] = byte
    default: text.removeSubrange(at...)
    }
  }

  private mutating func value(depth: Int) {
    switch Int.random(in: 0..<(depth < 5 ? 5 : 3), using: &random) {
    case 0: append(Self.words.randomElement(using: &random)!)
    case 1: append(Self.numbers[chooseMostlySmall(Self.numbers.count)])
    case 2: append(#""\#(Self.strings[chooseMostlySmall(Self.strings.count)])""#)
    default: container(depth: depth)
    }
  }

  private mutating func container(depth: Int) {
    let isObject = Bool.random(using: &random)
    append(isObject ? "{" : "[")
    let isLong = Int.random(in: 0..<40, using: &random) == 0
    for index in 0..<(isLong ? 40 : Int.random(in: 0..<4, using: &random)) {
      if index > 0 { append(",") }
      blanks()
      if isObject {
        append(isLong ? #""m\#(index)""# : #""\#(Self.names[chooseMostlySmall(Self.names.count)])\#(index % 3)""#)
        blanks()
        append(":")
        blanks()
      }
      value(depth: depth + 1)
      blanks()
    }
    append(isObject ? "}" : "]")
  }

  /// The first entries of each list are harmless, and drawn more often.
  private mutating func chooseMostlySmall(_ count: Int) -> Int {
    let one = Int.random(in: 0..<count, using: &random)
    let other = Int.random(in: 0..<count, using: &random)
    return min(one, other, Int.random(in: 0..<count, using: &random))
  }

  private mutating func blanks() {
    if Int.random(in: 0..<8, using: &random) == 0 {
      append([" ", "\n", "\t", "\r", "  "].randomElement(using: &random)!)
    }
  }

  private mutating func append(_ part: String) { text += Array(part.utf8) }
}
