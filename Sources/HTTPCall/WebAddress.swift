/// A URL that a call may be sent to: https, or plain http to this machine alone.
///
/// Only the plain form of RFC 3986 is taken, in ASCII, without a user, a password or a fragment: what looks odd to one
/// program and usual to another is where secrets go to the wrong place.
public struct WebAddress: Sendable, Equatable {
  /// As it was given.
  public let text: String
  /// In small letters; of an IPv6 address without its brackets.
  public let host: String
  /// Whether it is `https`.
  public let isSecure: Bool
  /// As given, else 443 or 80.
  public let port: Int

  /// What a URL has to be, for an error.
  public static let expected = "an https URL without user and fragment; http only to localhost, 127.0.0.1 or [::1]"

  /// nil unless calls may go there.
  public init?(_ text: String) {
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"\"#<>\\^`{|}".utf8.contains($0) }),
      let colon = text.firstIndex(of: ":")
    else { return nil }
    switch text[..<colon].lowercased() {
    case "https": isSecure = true
    case "http": isSecure = false
    default: return nil
    }
    let rest = text[text.index(after: colon)...]
    guard rest.hasPrefix("//") else { return nil }
    let authority = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
    guard let (host, port) = Self.split(authority) else { return nil }
    self.text = text
    self.host = host.lowercased()
    self.port = port ?? (isSecure ? 443 : 80)
    if !isSecure && !isLoopback { return nil }
  }

  /// Splits `name`, `name:80`, `[::1]:80`.
  private static func split(_ authority: Substring) -> (host: Substring, port: Int?)? {
    let isBracketed = authority.first == "["
    let hostEnd = authority.firstIndex(of: isBracketed ? "]" : ":") ?? authority.endIndex
    if isBracketed && hostEnd == authority.endIndex { return nil }
    let host = isBracketed ? authority[..<hostEnd].dropFirst() : authority[..<hostEnd]
    let isHost =
      isBracketed
      ? host.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
      : host.allSatisfy { $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" || $0 == "_" }
    guard isHost, !host.isEmpty else { return nil }
    let rest = isBracketed ? authority[hostEnd...].dropFirst() : authority[hostEnd...]
    if rest.isEmpty { return (host, nil) }
    let digits = rest.dropFirst()
    guard rest.first == ":", digits.allSatisfy(\.isNumber), let port = Int(digits), (1...65535).contains(port) else {
      return nil
    }
    return (host, port)
  }

  /// Whether it is this machine, by an address or a name that no name server is asked about.
  public var isLoopback: Bool {
    if host == "localhost" || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { part in UInt8(part).map { "\($0)" == part } ?? false }
  }

  /// Scheme, host and port: `https://billing.example`. Who may see what is meant for one may not see another's.
  public var origin: String {
    let name = host.contains(":") ? "[\(host)]" : host
    let isUsual = port == (isSecure ? 443 : 80)
    return (isSecure ? "https" : "http") + "://" + name + (isUsual ? "" : ":\(port)")
  }
}
