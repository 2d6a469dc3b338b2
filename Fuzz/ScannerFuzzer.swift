/// JSONScanner against libjansson, over the same bytes: the same verdict, but for what the scanner's documentation
/// excepts (depth, ids, NUL). See README.md.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzScanner(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: data, count: size))
  let scanned = Scanned(bytes)
  switch scanned.verdict {
  case .complete(let end):
    checkAccepted(Array(bytes[..<end]), scanned.outline)
    if bytes[end...].allSatisfy(isBlank) { checkAgreement(bytes, scanned) }
  case .incomplete:
    precondition(!jansson(accepts: bytes) || endsInNumber(bytes), "unfinished, but libjansson takes it")
  case .invalid(let failure):
    precondition((0...size).contains(failure.offset), "failure outside the text")
    let isExcepted = failure.reason.hasPrefix("nested deeper") || bytes.contains(0)
    precondition(isExcepted || !jansson(accepts: bytes), "refused, but libjansson takes it: \(failure)")
  }
  checkBeginnings(of: bytes, scanned.verdict)
  return 0
}

/// What the scanner made of bytes that have hostile ones behind them.
private struct Scanned {
  let verdict: JSONScanner.Verdict
  let outline: Outline

  init(_ bytes: [UInt8], slack: UInt8 = UInt8(ascii: "}")) {
    let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count + ByteBuffer.slack, alignment: 1)
    defer { storage.deallocate() }
    storage.copyBytes(from: bytes + [UInt8](repeating: slack, count: ByteBuffer.slack))
    var outline = Outline()
    verdict = JSONScanner().scan(UnsafeRawBufferPointer(rebasing: storage[..<bytes.count]), outline: &outline)
    self.outline = outline
  }
}

private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

private func parsed(_ bytes: [UInt8]) throws(JSONParseFailure) -> JSONView {
  try JSONDocument(parsing: JSONText(trusted: bytes)).view
}

private func jansson(accepts bytes: [UInt8]) -> Bool { (try? parsed(bytes)) != nil }

/// A number at the very end may go on, for all that the scanner knows.
private func endsInNumber(_ bytes: [UInt8]) -> Bool {
  bytes.first { !isBlank($0) }.map { $0 == UInt8(ascii: "-") || isDigit($0) } ?? false
}

/// Only a number that does not fit, and is an id, may come between the two.
private func checkAgreement(_ bytes: [UInt8], _ scanned: Scanned) {
  do throws(JSONParseFailure) { _ = try parsed(bytes) } catch {
    precondition(
      ["too big", "real number overflow"].contains { error.reason.hasPrefix($0) }, "accepted, but: \(error)")
    let outline = scanned.outline
    if outline.isBatch { return }
    precondition(!outline.id.isAbsent || !outline.paramsID.isAbsent, "accepted a large number that is no id")
    var small = bytes
    for span in [outline.id, outline.paramsID] where !span.isAbsent {
      small[span.start] = UInt8(ascii: "0")
      for at in (span.start + 1)..<span.end { small[at] = UInt8(ascii: " ") }
    }
    precondition(jansson(accepts: small), "accepted a large number beside the id")
  }
}

/// What holds for every text that was accepted.
private func checkAccepted(_ text: [UInt8], _ outline: Outline) {
  for span in [outline.jsonrpc, outline.id, outline.method, outline.params, outline.result, outline.error]
  where !span.isAbsent {
    precondition(span.start < span.end && span.end < text.count, "a member outside the text")
    let value = Array(text[span.start..<span.end])
    let isWhole = Scanned(value + [UInt8(ascii: "\n")]).verdict == .complete(end: value.count)
    precondition(isWhole || span == outline.id || span == outline.params, "a member that is no value")
  }
  let compact = ByteBuffer()
  text.withUnsafeBytes { compact.appendCompacted($0) }
  let again = Scanned(compact.bytes + [UInt8(ascii: "\n")])
  precondition(again.verdict == .complete(end: compact.count), "compaction broke the text")
  precondition(!again.outline.needsCompaction, "compaction left something to do")
  precondition(outline.isBatch || outline.needsCompaction || compact.bytes == text, "compaction without need")
  guard let view = try? parsed(text) else { return }
  guard let compacted = try? parsed(compact.bytes) else { preconditionFailure("compaction changed the verdict") }
  precondition(view.text == compacted.text, "compaction changed the value")
  guard let rewritten = try? parsed(view.text.bytes) else { preconditionFailure("the writer made no JSON of it") }
  precondition(rewritten.text == view.text, "the writer changed the value")
}

/// A verdict does not change when more bytes come, unless it was `incomplete`.
private func checkBeginnings(of bytes: [UInt8], _ whole: JSONScanner.Verdict) {
  for cut in Set([bytes.count / 2, bytes.count * 3 / 4, max(0, bytes.count - 1)]) {
    for slack: UInt8 in [UInt8(ascii: "\""), UInt8(ascii: "0"), 0x80] {
      let verdict = Scanned(Array(bytes[..<cut]), slack: slack).verdict
      precondition(verdict == .incomplete || verdict == whole, "changed its mind: \(verdict), then \(whole)")
    }
  }
}
