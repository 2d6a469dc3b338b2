import RPCShell

/// How a call ended.
enum CallEnd: Equatable {
  /// The server did it: its result.
  case result(JSONText)
  /// The person backed out.
  case cancelled
  /// - Parameters:
  ///   - message: for the person; nil is the action's default text.
  ///   - detail: for whoever runs the shell.
  case failed(message: String?, detail: String)
}

/// What comes of a transfer.
enum Verdict: Equatable {
  case ended(CallEnd)
  /// Try again, but not before so many seconds; the end is that of a call whose tries are used up.
  case again(after: Double, CallEnd)

  /// - Parameter origin: who answered, for the details. The rest of a URL may be a secret.
  init(_ end: TransferEnd, from origin: String) {
    self =
      switch end {
      case .answered(let answer): Verdict(answer, from: origin)
      case .broken(let reason): .again(after: 0, .failed(message: nil, detail: "\(origin): \(reason)"))
      case .refused(let reason): .ended(.failed(message: nil, detail: "\(origin): \(reason)"))
      }
  }

  private init(_ answer: Answer, from origin: String) {
    let detail = "\(origin): answered \(answer.status)"
    switch answer.status {
    case 200...299: self = Self.success(answer, from: origin)
    case 307, 308:
      self = .ended(.failed(message: nil, detail: detail + " without a Location that says where to call instead"))
    case 300...399:
      self = .ended(.failed(message: nil, detail: detail + "; only 307 and 308 redirect a POST"))
    case 499: self = .ended(.cancelled)
    case 429: self = .again(after: answer.retryAfter, .failed(message: Self.message(answer), detail: detail))
    case 400...499: self = .ended(.failed(message: Self.message(answer), detail: detail))
    // What a broken server says is not for the person.
    case 500...599: self = .again(after: answer.retryAfter, .failed(message: nil, detail: detail))
    default: self = .ended(.failed(message: nil, detail: detail))
    }
  }

  private static func success(_ answer: Answer, from origin: String) -> Verdict {
    if answer.body.allSatisfy({ $0 <= 0x20 }) { return .ended(.result(.emptyObject)) }
    do throws(JSONParseFailure) {
      let kind = try JSONDocument(wholeText: answer.body).view.kind
      switch kind {
      case .null: return .ended(.result(.emptyObject))
      case .object: return .ended(.result(try JSONText(wholeText: answer.body)))
      default:
        return .ended(
          .failed(message: nil, detail: "\(origin): expected an object as the answer, got \(kind.rawValue)"))
      }
    } catch {
      let end = CallEnd.failed(
        message: nil, detail: "\(origin): the answer is no JSON: \(error.text(in: answer.body))")
      // A body that ends too soon was cut off, also where the connection does not tell.
      return error.offset == answer.body.count ? .again(after: 0, end) : .ended(end)
    }
  }

  private static func message(_ answer: Answer) -> String? {
    let text = (try? JSONDocument(wholeText: answer.body))?.view["message"]?.string
    return text == "" ? nil : text
  }
}
