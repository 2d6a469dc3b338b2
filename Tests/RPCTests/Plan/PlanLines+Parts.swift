/// Lines put together from their parts, where a test has many of them.
extension PlanLines {
  static let top =
    ##"{"name":"Studio","price":{"amount":"19.99","currencyCode":"USD"},"period":"month","status":{"renews":"2026-11-02"},"meters":[{"id":"storage","label":"Storage","used":8.2,"limit":100,"unit":"GB"},{"id":"exports","label":"Exports","used":412,"limit":5000,"resets":"2026-11-02"}],"upgrade":null}"##

  /// F1 with other storage used.
  static func plus(storage used: String) -> String { plus.replacing(#""used":8.2"#, with: #""used":\#(used)"#) }

  /// A small plan: free, with nothing to renew.
  static func plan(
    _ members: String = "", name: String = "Basic", price: String = #"{"free":true}"#,
    status: String = #"{"noRenewal":true}"#
  ) -> String {
    let more = members.isEmpty ? "" : "," + members
    return #"{"name":"\#(name)","price":\#(price),"status":\#(status)\#(more)}"#
  }

  /// The member `meters` with one of them.
  static func meter(_ used: String, of limit: String, _ members: String = "") -> String {
    let more = members.isEmpty ? "" : "," + members
    return #""meters":[{"id":"m","label":"M","used":\#(used),"limit":\#(limit)\#(more)}]"#
  }

  // MARK: Events

  /// A line of `plan.state`.
  /// - Parameters:
  ///   - id: of the request behind it.
  ///   - motion: finished entries, see ``snappy(_:)``.
  ///   - says: what is read aloud: assertively with a feedback of `error`.
  static func event(
    _ revision: Int, _ cause: String, _ sections: [String], id: String? = "1", motion: [String] = [],
    feedback: String? = nil, says: String? = nil
  ) -> String {
    var members = [#""revision":\#(revision)"#, #""cause":"\#(cause)""#]
    if let id { members.append(#""requestId":\#(id)"#) }
    members.append(#""state":{\#(sections.joined(separator: ","))}"#)
    if !motion.isEmpty { members.append(#""motion":[\#(motion.joined(separator: ","))]"#) }
    if let feedback { members.append(#""feedback":"\#(feedback)""#) }
    if let says {
      let politeness = feedback == "error" ? "assertive" : "polite"
      members.append(#""announcement":{"text":"\#(says)","politeness":"\#(politeness)"}"#)
    }
    return #"{"jsonrpc":"2.0","method":"plan.state","params":{\#(members.joined(separator: ","))}}"#
  }

  /// The event of an upgrade that comes to another phase.
  static func upgrade(
    _ phase: String, _ revision: Int, cause: String = "upgrade", id: String? = "1", message: String? = nil,
    tone: String? = nil, feedback: String? = nil, says: String? = nil
  ) -> String {
    event(
      revision, cause, [upgradeSection(phase, message: message, tone: tone)], id: id, motion: [snappy("upgrade")],
      feedback: feedback, says: says)
  }

  /// The same of a restore.
  static func restore(
    _ phase: String, _ revision: Int, cause: String = "restore", id: String? = "1", message: String? = nil,
    tone: String? = nil, feedback: String? = nil, says: String? = nil
  ) -> String {
    event(
      revision, cause, [restoreSection(phase, message: message, tone: tone)], id: id, motion: [snappy("restore")],
      feedback: feedback, says: says)
  }

  static func upgradeSection(_ phase: String, message: String? = nil, tone: String? = nil) -> String {
    #""upgrade":{"title":"Upgrade to Studio","detail":"100 GB and more exports",\#(phaseMembers(phase, message, tone))}"#
  }

  static func restoreSection(_ phase: String, message: String? = nil, tone: String? = nil) -> String {
    #""restore":{"label":"Restore purchases","custom":false,\#(phaseMembers(phase, message, tone))}"#
  }

  private static func phaseMembers(_ phase: String, _ message: String?, _ tone: String?) -> String {
    #""phase":"\#(phase)","progress":null,"message":\#(quoted(message)),"tone":\#(quoted(tone))"#
  }

  private static func quoted(_ text: String?) -> String { text.map { "\"\($0)\"" } ?? "null" }

  static func snappy(_ target: String) -> String { #"{"target":"\#(target)","curve":"snappy"}"# }

  static func move(_ target: String, _ from: String, _ to: String, _ curve: String = "smooth") -> String {
    #"{"target":"usage/\#(target)","from":\#(from),"to":\#(to),"curve":"\#(curve)"}"#
  }

  // MARK: Answers

  static func reply(_ result: String, id: String = "1") -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#
  }

  static func refusal(_ code: Int, _ message: String, _ data: String, id: String = "1") -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":\#(code),"message":"\#(message)","data":\#(data)}}"#
  }

  static func progress(_ token: String, _ value: String) -> String {
    #"{"jsonrpc":"2.0","method":"$/progress","params":{"token":\#(token),"value":\#(value)}}"#
  }
}
