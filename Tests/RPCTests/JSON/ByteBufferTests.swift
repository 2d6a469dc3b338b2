import Testing

@testable import RPCShell

struct ByteBufferTests {
  @Test func `holds what was appended and drops what was consumed`() {
    let buffer = ByteBuffer(capacity: 4)
    #expect(buffer.isEmpty)
    buffer.append("abc")
    buffer.append(byte: UInt8(ascii: "d"))
    buffer.append(Array("efghij".utf8))
    #expect(buffer.bytes == Array("abcdefghij".utf8))
    buffer.consume(3)
    #expect(buffer.bytes == Array("defghij".utf8))
    #expect(buffer.first.pointee == UInt8(ascii: "d"))
    buffer.truncate(to: 2)
    #expect(buffer.bytes == Array("de".utf8))
    buffer.consume(2)
    #expect(buffer.isEmpty)
    buffer.append([])
    #expect(buffer.isEmpty)
  }

  @Test(arguments: [1, 3, 16, 100])
  func `keeps the order of bytes however it grows and moves`(step: Int) {
    let buffer = ByteBuffer(capacity: 16)
    var sent: UInt8 = 0
    var received: UInt8 = 0
    for round in 0..<500 {
      for _ in 0..<step {
        buffer.append(byte: sent)
        sent &+= 1
      }
      let taken = round % 3 == 0 ? buffer.count : min(buffer.count, step)
      for byte in buffer.readable.prefix(taken) {
        #expect(byte == received)
        received &+= 1
      }
      buffer.consume(taken)
    }
  }

  @Test func `does not grow for bytes that were consumed`() {
    let buffer = ByteBuffer(capacity: 64)
    for _ in 0..<1000 {
      buffer.append([UInt8](repeating: 1, count: 20))
      buffer.consume(buffer.count > 20 ? 20 : 10)
    }
    #expect(buffer.count + buffer.room < 1 << 15)
  }

  @Test func `gives back what a large message took`() {
    let buffer = ByteBuffer(capacity: 64)
    buffer.append([UInt8](repeating: 1, count: 3 << 20))
    #expect(buffer.room + buffer.count >= 3 << 20)
    buffer.consume(buffer.count)
    #expect(buffer.room == 64)
    buffer.append("still works")
    #expect(buffer.bytes == Array("still works".utf8))
  }

  @Test func `lets a reader write into its room`() {
    let buffer = ByteBuffer(capacity: 8)
    let room = buffer.reserve(100)
    room.update(repeating: 7, count: 100)
    buffer.commit(60)
    #expect(buffer.bytes == [UInt8](repeating: 7, count: 60))
  }

  @Test(arguments: [0, 9, 10, -1, 1234567890, .max, .min])
  func `writes integers in decimal`(value: Int) {
    let buffer = ByteBuffer()
    buffer.append(decimal: value)
    #expect(String(decoding: buffer.bytes, as: UTF8.self) == String(value))
  }
}

/// Brackets and strings, followed through pieces.
struct JSONBalanceTests {
  /// The steps over pieces of a text; after a line end the rest of the piece is looked at again.
  private func steps(_ pieces: [String]) -> [JSONBalance.Step] {
    var balance = JSONBalance()
    var steps: [JSONBalance.Step] = []
    for piece in pieces {
      var rest = Array(piece.utf8)[...]
      while true {
        let step = Array(rest).withUnsafeBytes { balance.advance(over: $0) }
        steps.append(step)
        guard case .lineEnd(let end) = step else { break }
        rest = rest.dropFirst(end)
      }
    }
    return steps
  }

  @Test(
    arguments: [
      (["{}"], [.closed(2)]), (["[]x"], [.closed(2)]), ([#"{"a":[{}]} "#], [.closed(10)]),
      (["{", "}"], [.open, .closed(1)]),
      ([#"{"}""#, "}"], [.open, .closed(1)]), (["{\"\\", #""}"}"#], [.open, .closed(4)]),
      (["{\"\\\\", #""}"#], [.open, .closed(2)]), (["{\n\n}"], [.lineEnd(2), .lineEnd(1), .closed(1)]),
      (["{\"a\n\"}"], [.broken(4)]), (["{\"a\\", "\n\"}"], [.open, .broken(1)]), (["[}"], [.closed(2)]),
      ([#"{"[":1"#, #","b":["#, "]", "}"], [.open, .open, .open, .closed(1)]), (["", "{"], [.open, .open]),
    ] as [([String], [JSONBalance.Step])])
  func `finds the end of a message that comes in pieces`(pieces: [String], expected: [JSONBalance.Step]) {
    #expect(steps(pieces) == expected)
  }
}
