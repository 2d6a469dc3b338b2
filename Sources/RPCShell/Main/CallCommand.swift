import Glibc
import RPCShell

/// `rpcshell call`: one request, its result on stdout.
struct CallCommand {
  let method: String
  /// The argument behind the method; `-` reads stdin.
  let params: String?
  let options: Options

  /// What a call may report beside what a session may.
  private static let cancelled = ExitStatus(rawValue: 130)

  /// Makes the call and prints its result, or one line that says why there is none.
  func run() throws(UsageError) -> ExitStatus {
    let output = StandardOutput.take()
    let params = try self.params.map { argument throws(UsageError) in try read(argument) }
    let setup = try Setup(options)
    let end = SingleCall(method, params).run(
      setup.sessionOptions, trace: options.trace, now: setup.now, plugins: setup.plugins)
    switch end {
    case .result(let result): return show(result, output)
    case .failure(let error): return report(error)
    case .interrupted: return Self.cancelled
    case .notMade(let status): return status
    }
  }

  // MARK: Parameters

  private func read(_ argument: String) throws(UsageError) -> JSONText {
    let text = argument == "-" ? try standardInput() : Array(argument.utf8)
    do throws(JSONParseFailure) { return try JSONText(wholeText: text) } catch {
      throw UsageError("the parameters are no JSON: \(error.text(in: text))", see: nil)
    }
  }

  private func standardInput() throws(UsageError) -> [UInt8] {
    let limit = DecoderOptions().maxMessage
    let buffer = ByteBuffer(capacity: 1 << 14)
    switch buffer.append(allOf: 0, upTo: limit) {
    case .complete: return buffer.bytes
    case .failed(let code): throw UsageError("cannot read stdin: \(String(cString: strerror(code)))", see: nil)
    case .tooLong: throw UsageError("the parameters are over the limit of \(limit) bytes", see: nil)
    }
  }

  // MARK: Results

  private func show(_ result: JSONText, _ output: StandardOutput) -> ExitStatus {
    let status = Self.status(of: result)
    if options.isQuiet { return status }
    let text =
      switch options.output {
      case .json: result.bytes + [UInt8(ascii: "\n")]
      case .text: Array(ResultText.lines(of: result).map { $0 + "\n" }.joined().utf8)
      }
    return output.printed(text) ?? status
  }

  private static func status(of result: JSONText) -> ExitStatus {
    guard let view = try? JSONDocument(parsing: result).view else { return .success }
    return switch view["outcome"]?.string {
    case "cancelled": cancelled
    case "needsConfirmation": .failure
    default: .success
    }
  }

  private func report(_ error: RPCError) -> ExitStatus {
    StandardError.line("rpcshell: \(error.message)")
    return switch error.code {
    case .requestCancelled: Self.cancelled
    case .parseError, .invalidRequest, .methodNotFound, .invalidParams: .usage
    default: .failure
    }
  }
}

extension StandardOutput {
  /// Prints everything.
  /// - Returns: what the process should exit with where that failed.
  func printed(_ text: [UInt8]) -> ExitStatus? {
    guard let code = write(text) else { return nil }
    StandardError.line("rpcshell: cannot write stdout: \(String(cString: strerror(code)))")
    return .outputFailed
  }
}
