private import CJansson

/// A parsed JSON text, owned: libjansson's tree, freed when the last view of it goes.
public final class JSONDocument {
  fileprivate let root: UnsafeMutablePointer<json_t>

  /// Parses one JSON value.
  /// - Throws: ``JSONParseFailure`` with the byte at which libjansson stopped and what it says.
  public init(parsing text: UnsafeRawBufferPointer) throws(JSONParseFailure) {
    root = try Self.load(text).get()
  }

  public init(parsing text: JSONText) throws(JSONParseFailure) {
    root = try text.bytes.withUnsafeBytes { Self.load($0) }.get()
  }

  private static func load(
    _ text: UnsafeRawBufferPointer
  ) -> Result<UnsafeMutablePointer<json_t>, JSONParseFailure> {
    var failure = json_error_t()
    let base = text.baseAddress?.assumingMemoryBound(to: CChar.self)
    if let base, let root = json_loadb(base, text.count, cj_decoding_flags(), &failure) { return .success(root) }
    let reason = withUnsafeBytes(of: failure.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    return .failure(JSONParseFailure(offset: min(max(0, Int(failure.position)), text.count), reason: reason))
  }

  deinit { cj_decref(root) }

  /// The document's root.
  public var view: JSONView { JSONView(document: self, node: root) }
}

/// Where and why a text is not JSON.
public struct JSONParseFailure: Error, Equatable {
  /// Bytes before the place where parsing stopped.
  public var offset: Int
  /// What was expected there.
  public var reason: String

  public init(offset: Int, reason: String) {
    self.offset = offset
    self.reason = reason
  }
}

/// One value inside a ``JSONDocument``, which it keeps alive. No pointer of libjansson leaves this file.
public struct JSONView {
  private let document: JSONDocument
  private let node: UnsafeMutablePointer<json_t>

  fileprivate init(document: JSONDocument, node: UnsafeMutablePointer<json_t>) {
    self.document = document
    self.node = node
  }

  /// The kinds of values that JSON has; integers and reals apart, as libjansson does.
  public enum Kind: String, Sendable {
    case object = "an object"
    case array = "an array"
    case string = "a string"
    case integer = "an integer"
    case real = "a number"
    case bool = "a boolean"
    case null = "null"
  }

  /// What kind of value this is.
  public var kind: Kind {
    switch cj_typeof(node) {
    case JSON_OBJECT: .object
    case JSON_ARRAY: .array
    case JSON_STRING: .string
    case JSON_INTEGER: .integer
    case JSON_REAL: .real
    case JSON_TRUE, JSON_FALSE: .bool
    default: .null
    }
  }

  /// Whether it is null.
  public var isNull: Bool { kind == .null }

  // MARK: Scalars: nil when the value is of another kind

  /// nil unless it is `true` or `false`.
  public var bool: Bool? {
    switch cj_typeof(node) {
    case JSON_TRUE: true
    case JSON_FALSE: false
    default: nil
    }
  }

  /// nil unless it is a number without fraction and exponent.
  public var integer: Int? { kind == .integer ? Int(json_integer_value(node)) : nil }

  /// A number of either kind as a binary double.
  public var number: Double? {
    switch kind {
    case .integer, .real: json_number_value(node)
    default: nil
    }
  }

  /// nil unless it is a string.
  public var string: String? {
    guard let text = json_string_value(node) else { return nil }
    return String(decoding: UnsafeRawBufferPointer(start: text, count: json_string_length(node)), as: UTF8.self)
  }

  // MARK: Containers

  /// Members of an object or elements of an array; 0 for scalars.
  public var count: Int { max(json_object_size(node), json_array_size(node)) }

  /// The member of an object, or nil.
  public subscript(name: StaticString) -> JSONView? {
    let text = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    return json_object_getn(node, text, name.utf8CodeUnitCount).map { JSONView(document: document, node: $0) }
  }

  /// The same for a name that is not known at compile time.
  public func member(named name: String) -> JSONView? {
    json_object_get(node, name).map { JSONView(document: document, node: $0) }
  }

  /// The element of an array, or nil.
  public subscript(index: Int) -> JSONView? {
    json_array_get(node, index).map { JSONView(document: document, node: $0) }
  }

  /// The members of an object in the order of the text; empty for other kinds.
  public var members: [(name: String, value: JSONView)] {
    var found: [(name: String, value: JSONView)] = []
    forEachMember { name, value in found.append((String(decoding: name, as: UTF8.self), value)) }
    return found
  }

  /// Visits the members of an object in the order of the text.
  /// - Parameter visit: is given the name in UTF-8, for the time of the call.
  public func forEachMember<Failure: Error>(
    _ visit: (UnsafeRawBufferPointer, JSONView) throws(Failure) -> Void
  ) throws(Failure) {
    var iterator = json_object_iter(node)
    while let at = iterator {
      let name = UnsafeRawBufferPointer(start: json_object_iter_key(at), count: json_object_iter_key_len(at))
      try visit(name, JSONView(document: document, node: json_object_iter_value(at)))
      iterator = json_object_iter_next(node, at)
    }
  }

  /// The elements of an array; empty for other kinds.
  public var elements: [JSONView] { (0..<json_array_size(node)).map { self[$0]! } }
}

extension JSONView {
  /// The value as text. Numbers are in their shortest form.
  public var text: JSONText { JSONText { write(to: &$0) } }

  private func write(to writer: inout JSONWriter) {
    switch kind {
    case .null: writer.null()
    case .bool: writer.bool(bool == true)
    case .integer: writer.integer(integer ?? 0)
    case .real: writer.text(JSONText(shortest: number ?? 0))
    case .string: writer.string(string ?? "")
    case .array: writer.array { list in for element in elements { element.write(to: &list) } }
    case .object:
      writer.object { object in
        for (name, value) in members {
          object.key(name)
          value.write(to: &object)
        }
      }
    }
  }
}
