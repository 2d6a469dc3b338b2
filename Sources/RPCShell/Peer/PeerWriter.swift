/// Writes what the shell says to somebody whom it calls.
package enum PeerWriter {
  /// One request, or without an id a notification, without its frame.
  ///
  /// - Parameters:
  ///   - id: of the shell's own.
  ///   - method: without escapes.
  ///   - params: a valid JSON value on one line; nil where there are none.
  package static func write(
    _ id: Int?, _ method: UnsafeRawBufferPointer, _ params: UnsafeRawBufferPointer?, to buffer: ByteBuffer
  ) {
    buffer.append("{\"jsonrpc\":\"2.0\",")
    if let id {
      buffer.append("\"id\":")
      buffer.append(decimal: id)
      buffer.append(byte: UInt8(ascii: ","))
    }
    buffer.append("\"method\":")
    if method.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
      buffer.append(byte: UInt8(ascii: "\""))
      buffer.append(method)
      buffer.append(byte: UInt8(ascii: "\""))
    } else {
      buffer.appendJSONString(String(decoding: method, as: UTF8.self))
    }
    if let params {
      buffer.append(",\"params\":")
      buffer.append(params)
    }
    buffer.append(byte: UInt8(ascii: "}"))
  }

  /// Appends a message in its frame.
  package static func frame(_ body: UnsafeRawBufferPointer, _ framing: Framing, to buffer: ByteBuffer) {
    if framing == .headers {
      buffer.append("Content-Length: ")
      buffer.append(decimal: body.count)
      buffer.append("\r\n\r\n")
    }
    buffer.append(body)
    if framing == .lines { buffer.append(byte: UInt8(ascii: "\n")) }
  }
}
