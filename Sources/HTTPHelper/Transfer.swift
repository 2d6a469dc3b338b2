import CCurl
import Glibc
import HTTPCall

/// What a server answered.
struct Answer: Equatable {
  var status: Int
  var body: [UInt8] = []
  /// Seconds until the server wants to be asked again; 0 where it does not say.
  var retryAfter = 0.0
  /// Where a redirect leads to.
  var location: String?
}

/// How one transfer ended.
enum TransferEnd: Equatable {
  case answered(Answer)
  /// What another try may mend: `Could not resolve host: billing.example`
  case broken(String)
  /// What it will not: `SSL certificate problem: certificate has expired`
  case refused(String)

  /// Where the same is to be sent once more.
  var redirect: String? {
    guard case .answered(let answer) = self, answer.status == 307 || answer.status == 308 else { return nil }
    return answer.location
  }
}

/// Posts, one transfer after another, and gathers what comes back up to a bound.
final class Transfer {
  /// Longer bodies end the transfer.
  static let bodyLimit = 1 << 20
  /// So do longer headers: libcurl keeps them.
  static let headerLimit = 1 << 17
  /// Milliseconds until there is a connection, names, proxies and TLS included.
  static let connectLimit = 10_000

  private let handle = curl_easy_init()!
  private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
  private var incoming = Incoming()

  /// What has come in.
  private struct Incoming {
    var body: [UInt8] = []
    var headerBytes = 0
    /// The server wants to be left alone for longer than libcurl can count.
    var isAskedLater = false
    /// What was too long.
    var excess: String?
  }

  /// - Parameters:
  ///   - caFile: certificates to trust in place of the system's.
  ///   - userAgent: this program, with its version.
  init(caFile: String?, userAgent: String) {
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    set(CURLOPT_USERAGENT, userAgent)
    set(CURLOPT_NOSIGNAL, 1)
    // What may carry the call, whatever libcurl could do beside it.
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_FOLLOWLOCATION, 0)
    // What is left of a bad answer on a connection must not be taken for the answer to the next try.
    set(CURLOPT_FORBID_REUSE, 1)
    set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    if let caFile {
      set(CURLOPT_CAINFO, caFile)
      set(CURLOPT_CAPATH, nil)
    }
    // A proxy is not told the headers, nor are its headers the server's.
    set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(CURLOPT_CONNECTTIMEOUT_MS, Self.connectLimit)
    // A person may be paying for minutes, in which nothing is said.
    set(CURLOPT_TCP_KEEPALIVE, 1)
  }

  deinit {
    curl_easy_cleanup(handle)
    errorText.deallocate()
  }

  /// Posts a body.
  ///
  /// - Parameters:
  ///   - headers: `Name: value`.
  ///   - limit: milliseconds for all of it.
  func post(_ body: [UInt8], to url: WebAddress, headers: [String], limit: Int) -> TransferEnd {
    incoming = Incoming()
    errorText.pointee = 0
    var list: UnsafeMutablePointer<curl_slist>?
    for header in headers { list = curl_slist_append(list, header) }
    defer { curl_slist_free_all(list) }
    set(CURLOPT_URL, url.text)
    cc_set_list(handle, CURLOPT_HTTPHEADER, list)
    set(CURLOPT_TIMEOUT_MS, max(limit, 1))
    // This machine is reached without a proxy, and nil asks the environment.
    set(CURLOPT_PROXY, url.isLoopback ? "" : nil)
    let code = body.withUnsafeBufferPointer { bytes in
      cc_set_body(handle, bytes.baseAddress, bytes.count)
      cc_set_error_text(handle, errorText)
      cc_set_sinks(handle, Self.takeHeader, Self.takeBody, Unmanaged.passUnretained(self).toOpaque())
      return curl_easy_perform(handle)
    }
    if let excess = incoming.excess { return .refused(excess) }
    guard code == CURLE_OK else { return Self.failure(code, text(of: code)) }
    return .answered(
      Answer(
        status: cc_status(handle), body: incoming.body, retryAfter: retryAfter,
        location: cc_redirect(handle).map { String(cString: $0) }))
  }

  private var retryAfter: Double { incoming.isAskedLater ? .infinity : max(0, Double(cc_retry_after(handle))) }

  // MARK: What comes in

  private static let takeHeader: cc_sink = { bytes, _, count, context in
    let transfer = Unmanaged<Transfer>.fromOpaque(context!).takeUnretainedValue()
    transfer.incoming.headerBytes += count
    if asksForTooLong(UnsafeRawBufferPointer(start: bytes, count: count)) { transfer.incoming.isAskedLater = true }
    if transfer.incoming.headerBytes <= headerLimit { return count }
    transfer.incoming.excess = "the answer's headers are longer than \(headerLimit >> 10) KiB"
    return cc_sink_end()
  }

  /// Whether a header line is a `Retry-After` with a number that does not fit, which libcurl passes over.
  static func asksForTooLong(_ line: UnsafeRawBufferPointer) -> Bool {
    let name = "retry-after:".utf8
    guard line.prefix(name.count).elementsEqual(name, by: { $0 == $1 || $0 | 0x20 == $1 }) else { return false }
    let value = line.dropFirst(name.count).filter { $0 > 0x20 }.drop { $0 == UInt8(ascii: "0") }
    return value.count > 18 && value.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
  }

  private static let takeBody: cc_sink = { bytes, _, count, context in
    let transfer = Unmanaged<Transfer>.fromOpaque(context!).takeUnretainedValue()
    guard transfer.incoming.body.count + count <= bodyLimit else {
      transfer.incoming.excess = "the answer is longer than \(bodyLimit >> 20) MiB"
      return cc_sink_end()
    }
    transfer.incoming.body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
    return count
  }

  // MARK: What goes wrong

  /// What libcurl says, which names hosts and ports but nothing of the headers.
  private func text(of code: CURLcode) -> String {
    errorText.pointee == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: errorText)
  }

  private static func failure(_ code: CURLcode, _ text: String) -> TransferEnd {
    switch code {
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT,
      CURLE_SSL_CONNECT_ERROR, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE,
      CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_PROXY,
      CURLE_BAD_CONTENT_ENCODING:
      .broken(text)
    default: .refused(text)
    }
  }

  // MARK: Options

  private func set(_ option: CURLoption, _ value: String?) { cc_set_text(handle, option, value) }
  private func set(_ option: CURLoption, _ value: Int) { cc_set_number(handle, option, value) }
}
