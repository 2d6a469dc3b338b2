import AccountModel
import RPCShell

/// The options as they are shown, with what may be chosen.
enum OptionsText {
  static func section(_ options: StorageOptions) -> JSONText {
    JSONText { writer in
      writer.object { section in
        section.member("title", "Options")
        section.member("cellular", options.cellular)
        section.member("cellularLabel", "Download over cellular")
        section.member("quality", options.quality.rawValue)
        section.member("qualityLabel", "Download quality")
        section.member("qualityText", text(of: options.quality))
        section.key("qualityChoices")
        write(StorageOptions.Quality.allCases.map { ($0.rawValue, text(of: $0)) }, to: &section)
        section.member("autoRemove", options.autoRemove.rawValue)
        section.member("autoRemoveLabel", "Remove finished")
        section.member("autoRemoveText", text(of: options.autoRemove))
        section.key("autoRemoveChoices")
        write(StorageOptions.AutoRemove.allCases.map { ($0.rawValue, text(of: $0)) }, to: &section)
      }
    }
  }

  private static func write(_ choices: [(value: String, text: String)], to writer: inout JSONWriter) {
    writer.array { list in
      for choice in choices {
        list.object { entry in
          entry.member("value", choice.value)
          entry.member("text", choice.text)
        }
      }
    }
  }

  private static func text(of quality: StorageOptions.Quality) -> String {
    switch quality {
    case .dataSaver: "Data saver"
    case .standard: "Standard"
    case .high: "High"
    }
  }

  private static func text(of autoRemove: StorageOptions.AutoRemove) -> String {
    switch autoRemove {
    case .never: "Never"
    case .day: "After 1 day"
    case .week: "After 1 week"
    case .month: "After 1 month"
    }
  }
}
