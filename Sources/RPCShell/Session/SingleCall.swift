import CLinux
import Glibc

/// One request in a session of its own inside this process: the session's input is the request and ends behind it, its
/// output is read when it is over, and nothing else of the process's streams is touched.
///
/// So everything is as in a session whose client closed its end: holds are over at once, and what the client would have
/// to do fails. SIGINT and SIGTERM cancel the request.
public struct SingleCall: Sendable {
  /// How it ended.
  public enum End: Sendable {
    case result(JSONText)
    case failure(RPCError)
    /// It was told to end twice, and did not wait for the answer.
    case interrupted
    /// It could not be made; a line says why.
    case notMade(ExitStatus)
  }

  /// As on the wire: `plan.get`
  public var method: String
  /// As on the wire; nil leaves them out.
  public var params: JSONText?

  public init(_ method: String, _ params: JSONText? = nil) {
    self.method = method
    self.params = params
  }

  /// Makes the call.
  ///
  /// - Parameters:
  ///   - options: `interrupts` and the framing are filled in here.
  ///   - trace: where the session's bytes are copied to.
  ///   - now: the time of day in seconds since 1970.
  ///   - plugins: makes the plugins on the session's executor.
  public func run(
    _ options: SessionOptions, trace: String? = nil,
    now: @escaping @Sendable () -> Double = ShellProcess.systemTime,
    plugins: @escaping @Sendable (LoopExecutor) -> [any Plugin]
  ) -> End {
    var options = options
    options.decoder = DecoderOptions(framing: .lines, maxMessage: DecoderOptions.largest)
    options.cancelsWhenInterrupted = true
    options.startsPlugins = false
    do throws(ShellProcess.NotStarted) {
      let (input, output) = (cl_memfd(), cl_memfd())
      guard input >= 0, output >= 0 else { throw .noDescriptors(options) }
      defer { for descriptor in [input, output] { close(descriptor) } }
      guard put(into: input) else { throw .noDescriptors(options) }
      let status = try ShellProcess.run(
        DescriptorSource(takingOver: input), DescriptorSink(takingOver: output), options, trace: trace, now: now,
        plugins: plugins)
      return Self.reply(in: Self.content(of: output)) ?? (status == .outputFailed ? .notMade(status) : .interrupted)
    } catch { return .notMade(error.status) }
  }

  // MARK: In

  /// The request's line, from its start.
  private func put(into descriptor: Int32) -> Bool {
    let line = ByteBuffer()
    line.append("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":")
    line.appendJSONString(method)
    if let params {
      line.append(",\"params\":")
      line.append(params.bytes)
    }
    line.append("}\n")
    while !line.isEmpty {
      let sent = write(descriptor, line.first, line.count)
      guard sent > 0 else { return false }
      line.consume(sent)
    }
    return lseek(descriptor, 0, SEEK_SET) == 0
  }

  // MARK: Out

  private static func content(of descriptor: Int32) -> ByteBuffer {
    let content = ByteBuffer(capacity: 1 << 12)
    lseek(descriptor, 0, SEEK_SET)
    _ = content.append(allOf: descriptor, upTo: .max)
    return content
  }

  /// The answer among the session's lines: the one with the request's id, or with none where the request could not be
  /// read.
  private static func reply(in output: ByteBuffer) -> End? {
    for line in output.readable.split(separator: UInt8(ascii: "\n")) {
      guard
        line.starts(with: "{\"jsonrpc\":\"2.0\",\"id\":1,".utf8)
          || line.starts(with: "{\"jsonrpc\":\"2.0\",\"id\":null,".utf8),
        let view = try? JSONDocument(parsing: UnsafeRawBufferPointer(rebasing: line)).view
      else { continue }
      guard let error = view["error"] else { return .result(result(in: line)) }
      let code = RPCError.Code(rawValue: error["code"]?.integer ?? 0)
      let data = error["data"]?.members.map { RPCError.Member($0.name, $0.value.text) } ?? []
      return .failure(RPCError(code, error["message"]?.string ?? "", data: data))
    }
    return nil
  }

  /// The result as it stands between its name and the answer's last bracket.
  private static func result(in line: Slice<UnsafeRawBufferPointer>) -> JSONText {
    JSONText(trusted: Array(line.dropFirst("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":".utf8.count).dropLast()))
  }
}
