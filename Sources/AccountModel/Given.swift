public import RPCShell

/// An optional member, as it was given. Absent and null both mean the default, but each is written back as it came.
public enum Given<Value: Sendable & Equatable>: Sendable, Equatable {
  case absent
  case null
  case value(Value)

  /// nil where the default counts.
  public var value: Value? {
    if case .value(let value) = self { value } else { nil }
  }

  /// - Parameter read: called for a member that is there and not null.
  init(_ view: JSONView?, _ read: (JSONView) -> Value) {
    switch view {
    case nil: self = .absent
    case .some(let view): self = view.isNull ? .null : .value(read(view))
    }
  }
}

extension JSONWriter {
  /// Writes a member that was given; nothing for an absent one.
  mutating func member<Value>(
    _ name: StaticString, _ given: Given<Value>, _ write: (inout JSONWriter, Value) -> Void
  ) {
    switch given {
    case .absent: return
    case .null:
      key(name)
      null()
    case .value(let value):
      key(name)
      write(&self, value)
    }
  }

  mutating func member(_ name: StaticString, _ given: Given<String>) {
    member(name, given) { $0.string($1) }
  }

  mutating func member<Value: JSONWritable>(_ name: StaticString, _ given: Given<Value>) {
    member(name, given) { $1.write(to: &$0) }
  }

  mutating func member(_ name: StaticString, _ value: some JSONWritable) {
    key(name)
    value.write(to: &self)
  }
}

/// A value that is written as one JSON value, exactly as it was given.
public protocol JSONWritable {
  /// Writes the value with all that was given of it.
  func write(to writer: inout JSONWriter)
}

extension JSONWritable {
  /// The value as JSON text.
  public var jsonText: JSONText { JSONText { write(to: &$0) } }
}
