/// Writes JSON in the order in which it is called: one line, no blanks, U+2028 and U+2029 escaped.
///
/// Our own and not jansson's `json_dumpb`, because that prints 8.2 as 8.1999999999999993 and takes 3.6 times as long
/// (docs/ARCHITECTURE.md). It does not check that calls make sense together; ``JSONText`` made by tests is parsed again.
public struct JSONWriter {
  private let buffer = ByteBuffer(capacity: 256)
  private var needsComma = false

  public init() {}

  /// What was written so far.
  public var text: JSONText { JSONText(trusted: buffer.bytes) }

  // MARK: Structure

  /// An object, with the members that `members` writes.
  public mutating func object(_ members: (inout JSONWriter) -> Void) {
    open(UInt8(ascii: "{"))
    members(&self)
    close(UInt8(ascii: "}"))
  }

  /// An object that has the members of a finished one, then those that `members` writes.
  package mutating func object(continuing text: JSONText, _ members: (inout JSONWriter) -> Void) {
    separate()
    buffer.append(Array(text.bytes.dropLast()))
    needsComma = text.bytes.count > 2
    members(&self)
    close(UInt8(ascii: "}"))
  }

  /// An array, with the elements that `elements` writes.
  public mutating func array(_ elements: (inout JSONWriter) -> Void) {
    open(UInt8(ascii: "["))
    elements(&self)
    close(UInt8(ascii: "]"))
  }

  /// The name of the member whose value is written next.
  public mutating func key(_ name: StaticString) {
    separate()
    buffer.append(byte: UInt8(ascii: "\""))
    buffer.append(name)
    buffer.append("\":")
    needsComma = false
  }

  /// The same for a name that is not known at compile time.
  public mutating func key(_ name: String) {
    separate()
    buffer.appendJSONString(name)
    buffer.append(byte: UInt8(ascii: ":"))
    needsComma = false
  }

  // MARK: Values

  /// `null`.
  public mutating func null() { literal("null") }
  /// `true` or `false`.
  public mutating func bool(_ value: Bool) { value ? literal("true") : literal("false") }

  /// A number without fraction.
  public mutating func integer(_ value: Int) {
    separate()
    buffer.append(decimal: value)
    needsComma = true
  }

  /// A string, escaped as JSON needs it.
  public mutating func string(_ value: String) {
    separate()
    buffer.appendJSONString(value)
    needsComma = true
  }

  /// `null` where there is nothing to say.
  public mutating func string(_ value: String?) {
    if let value { string(value) } else { null() }
  }

  /// Splices a value that is JSON text already.
  public mutating func text(_ value: JSONText) {
    separate()
    buffer.append(value.bytes)
    needsComma = true
  }

  // MARK: Members

  /// `null` where there is nothing to say.
  public mutating func member(_ name: StaticString, _ value: String?) {
    key(name)
    string(value)
  }

  /// A member that is `true` or `false`.
  public mutating func member(_ name: StaticString, _ value: Bool) {
    key(name)
    bool(value)
  }

  /// A member that is a number without fraction.
  public mutating func member(_ name: StaticString, _ value: Int) {
    key(name)
    integer(value)
  }

  /// `null` where there is nothing to say.
  public mutating func member(_ name: StaticString, _ value: JSONText?) {
    key(name)
    text(value ?? .null)
  }

  // MARK: Tokens

  private mutating func literal(_ word: StaticString) {
    separate()
    buffer.append(word)
    needsComma = true
  }

  private mutating func open(_ bracket: UInt8) {
    separate()
    buffer.append(byte: bracket)
    needsComma = false
  }

  private mutating func close(_ bracket: UInt8) {
    buffer.append(byte: bracket)
    needsComma = true
  }

  private func separate() {
    if needsComma { buffer.append(byte: UInt8(ascii: ",")) }
  }
}
