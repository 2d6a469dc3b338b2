import AccountModel
import RPCShell

@testable import PlanPlugin

// Plans and states from the JSON that hosts and clients see.

extension PlanUsage {
  /// Reads a plan as `plan.set` does.
  static func read(_ text: String) throws -> PlanUsage {
    try PlanUsage(checking: JSONDocument(parsing: JSONText(trusted: Array(text.utf8))).view, path: "plan")
  }

  /// A plan that is bought once, with one meter.
  /// - Parameter members: the meter's, but for `id` and `label`.
  static func metered(_ members: String) throws -> PlanUsage {
    try read(
      #"{"name":"P","price":{"free":true},"status":{"noRenewal":true},"meters":[{"id":"m","label":"Storage",\#(members)}]}"#
    )
  }
}

extension PlanState {
  /// What is known after a plan was handed over.
  static func showing(_ plan: PlanUsage?, _ change: (inout PlanState) -> Void = { _ in }) -> PlanState {
    var state = PlanState()
    state.take(plan)
    change(&state)
    return state
  }

  /// What is shown, formatted afresh.
  func snapshot(now: Double = PlanRig.today, _ environment: Environment = Environment()) -> StateSnapshot {
    var cache = PlanTextCache()
    return snapshot(now: now, environment, cache: &cache)
  }

  /// A section as JSON.
  func section(_ name: String, _ environment: Environment = Environment()) -> String? {
    snapshot(environment)[name]?.description
  }
}

extension StateSnapshot {
  subscript(name: String) -> JSONText? { sections.first { $0.name == name }?.text }

  /// The whole state as `plan.get` answers it.
  var text: JSONText {
    JSONText { writer in
      writer.object { state in
        for section in sections {
          state.key(section.name)
          state.text(section.text)
        }
      }
    }
  }
}

extension JSONText {
  /// The value, parsed.
  var view: JSONView { get throws { try JSONDocument(parsing: self).view } }
}

extension String {
  /// The text with its invisible characters as `\u{A0}`, for messages.
  var spelledOut: String {
    unicodeScalars.map { scalar in
      let isShown = scalar.properties.generalCategory != .format && (scalar == " " || !scalar.properties.isWhitespace)
      return isShown ? String(scalar) : "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    }.joined()
  }
}
