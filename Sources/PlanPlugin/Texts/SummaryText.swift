import AccountModel
import RPCShell

/// The texts of the summary card.
struct SummaryText {
  let name: String
  let chip: (text: String, tone: Tone)?
  let priceLine: String?
  let dateLine: String?
  let dateIsPast: Bool
  let isPaymentIssue: Bool
  let changeLine: String?
  /// When the plan was read, as it was given.
  let asOf: DateValue?
  /// It is a copy, since the newest plan could not be read.
  let isStale: Bool

  init(
    _ plan: PlanUsage, asOf: DateValue? = nil, isStale: Bool = false, today: Day, _ formatting: PlanFormatting
  ) {
    self.asOf = asOf
    self.isStale = isStale
    name = plan.name
    chip = Self.chip(plan.status)
    priceLine = Self.priceLine(plan, formatting)
    let date = plan.status.date.map { formatting.date($0, today: today) }
    dateLine = date.map { Self.dateLine(plan.status, $0.text) }
    dateIsPast = date?.isPast ?? false
    if case .paymentIssue = plan.status { isPaymentIssue = true } else { isPaymentIssue = false }
    changeLine = plan.scheduledChange.value.map {
      "Changes to \($0.to) on \(formatting.date($0.on, today: today).text)"
    }
  }

  private static func chip(_ status: Status) -> (text: String, tone: Tone)? {
    switch status {
    case .renews: ("Active", .success)
    case .trial: ("Free trial", .info)
    case .ends: ("Cancelled", .neutral)
    case .paymentIssue: ("Payment issue", .danger)
    case .noRenewal: nil
    }
  }

  private static func dateLine(_ status: Status, _ date: String) -> String {
    switch status {
    case .renews: "Renews \(date)"
    case .trial: "Trial ends \(date)"
    case .ends, .noRenewal: "Ends \(date)"
    case .paymentIssue: "Update payment by \(date)"
    }
  }

  /// A free plan says so only where something is to renew or to end.
  private static func priceLine(_ plan: PlanUsage, _ formatting: PlanFormatting) -> String? {
    switch plan.price {
    case .free: plan.status == .noRenewal ? nil : "Free"
    case .display(let text): text.withoutControls + suffix(plan.period.value)
    case .amount(let amount, let currencyCode):
      formatting.money(amount.value, currencyCode: currencyCode) + suffix(plan.period.value)
    }
  }

  private static func suffix(_ period: Period?) -> String {
    switch period {
    case .week: " per week"
    case .month: " per month"
    case .year: " per year"
    case nil: ""
    }
  }

  /// `Plus plan, $9.99 per month. Active. Renews Nov 2`
  var accessibilityLabel: String {
    let title = endsInPlan ? name : "\(name) plan"
    var label = priceLine.map { "\(title), \($0)" } ?? title
    for part in [chip?.text, dateLine, changeLine] { label += part.map { ". \($0)" } ?? "" }
    return label
  }

  /// Whether the name's last word is `plan`, in any case.
  private var endsInPlan: Bool {
    let word = name.unicodeScalars.reversed().drop { !$0.isWordlike }.prefix { $0.isWordlike }.prefix(5)
    return word.reversed().map { $0.properties.lowercaseMapping } == ["p", "l", "a", "n"]
  }

  /// The section `summary`.
  var section: JSONText {
    JSONText { writer in
      writer.object { summary in
        summary.member("name", name)
        summary.key("chip")
        if let chip {
          summary.object { member in
            member.member("text", chip.text)
            member.member("tone", chip.tone.rawValue)
          }
        } else {
          summary.null()
        }
        summary.member("priceLine", priceLine)
        summary.member("dateLine", dateLine)
        summary.member("dateTone", isPaymentIssue ? Tone.danger.rawValue : Tone.secondary.rawValue)
        summary.member("dateIsPast", dateIsPast)
        summary.member("changeLine", changeLine)
        summary.member("stale", dateIsPast || isStale)
        summary.member("asOf", asOf?.text)
        summary.member("accessibilityLabel", accessibilityLabel)
      }
    }
  }
}

extension Unicode.Scalar {
  /// Whether it is part of a word.
  fileprivate var isWordlike: Bool { properties.isAlphabetic || properties.numericType != nil }
}
