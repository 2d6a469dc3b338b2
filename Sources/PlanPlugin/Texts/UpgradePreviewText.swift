import AccountModel
import RPCShell

/// What an upgrade would cost, with its texts: the result of `plan.previewUpgrade`.
struct UpgradePreviewText {
  let preview: UpgradePreview
  /// `$19.99`
  let dueNow: String
  let credit: String?
  /// `$19.99 on Nov 2`
  let nextCharge: String?
  /// `Starts Nov 2`
  let effective: String

  init(_ preview: UpgradePreview, today: Day, _ formatting: PlanFormatting) {
    func text(_ price: Price) -> String {
      switch price {
      case .free: "Free"
      case .display(let text): text.withoutControls
      case .amount(let amount, let currencyCode): formatting.money(amount.value, currencyCode: currencyCode)
      }
    }
    func date(_ date: DateValue) -> String { formatting.date(date, today: today).text }
    self.preview = preview
    dueNow = text(preview.dueNow)
    credit = preview.credit.map(text)
    nextCharge = preview.nextCharge.map { charge in
      text(charge.price) + (charge.on.map { " on \(date($0))" } ?? "")
    }
    effective = preview.effectiveDate.map { "Starts \(date($0))" } ?? "Starts now"
  }

  /// Each value as it was given, with its text behind it.
  var result: JSONText {
    JSONText { writer in
      writer.object { result in
        result.member("name", preview.name)
        result.member("dueNow", preview.dueNow.jsonText)
        result.member("dueNowText", dueNow)
        result.member("credit", preview.credit?.jsonText)
        result.member("creditText", credit)
        result.member("nextCharge", preview.nextCharge?.jsonText)
        result.member("nextChargeText", nextCharge)
        result.member("effectiveDate", preview.effectiveDate?.text)
        result.member("effectiveText", effective)
      }
    }
  }

  /// What ``result`` looks like.
  static let schema: Schema = .object([
    .required("name", .nullable(.string)), .required("dueNow", .any, "a Price"), .required("dueNowText", .string),
    .required("credit", .any, "a Price, or null"), .required("creditText", .nullable(.string)),
    .required("nextCharge", .any, "`price` and `on`, or null"), .required("nextChargeText", .nullable(.string)),
    .required("effectiveDate", .nullable(.string), "null is at once"), .required("effectiveText", .string),
  ])
}
