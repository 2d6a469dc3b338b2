import AccountModel
import RPCShell

/// What is shown.
extension StorageState {
  func snapshot(_ environment: Environment) -> StateSnapshot {
    let parts = self.parts
    let shares = BarShares(parts.map(\.bytes), of: capacity)
    return StateSnapshot(
      sections: [
        StateSection("usage", usageSection),
        StateSection("loading", JSONText { $0.bool(isLoading) }),
        StateSection("refreshing", JSONText { $0.bool(isRefreshing && !isLoading) }),
        StateSection("summary", isLoading ? .null : summarySection),
        StateSection("bar", isLoading ? .null : barSection(parts, shares)),
        StateSection("legend", isLoading ? .null : legendSection(parts)),
        StateSection("clear", clearSection),
        isLoading
          ? StateSection("downloads", .null) : StateSection("downloads", downloadsSection, rows: downloads.rows),
        StateSection("options", OptionsText.section(options)),
        StateSection("locale", .string(environment.locale)),
        StateSection("timeZone", .string(environment.timeZone)),
      ],
      figures: isLoading ? [] : figures(parts, shares),
      phases: [StateSnapshot.Phase(target: "clear", value: clear.name.rawValue)],
      isLoading: isLoading)
  }

  // MARK: Parts

  private struct Part {
    let key: String
    let label: String
    let bytes: Int
    let tone: Tone
  }

  private var parts: [Part] {
    [
      Part(key: "downloads", label: "Downloads", bytes: downloads.bytes, tone: .primary),
      Part(key: "cache", label: "Cache", bytes: cache, tone: .accent),
      Part(key: "photos", label: "Photos", bytes: figures?.photos ?? 0, tone: .muted),
      Part(key: "other", label: "Other", bytes: figures?.other ?? 0, tone: .tertiary),
    ]
  }

  private func figures(_ parts: [Part], _ shares: BarShares) -> [StateSnapshot.Figure] {
    [StateSnapshot.Figure(target: "summary/total", value: JSONText(integer: total))]
      + zip(parts, shares.parts).map { StateSnapshot.Figure(target: "bar/" + $0.key, value: JSONText(share: $1)) }
      + parts.map { StateSnapshot.Figure(target: "legend/" + $0.key, value: JSONText(integer: $0.bytes)) }
  }

  // MARK: Sections

  private var usageSection: JSONText {
    guard let figures else { return .null }
    return JSONText { writer in
      writer.object { usage in
        usage.member("downloadBytes", downloads.bytes)
        usage.member("cache", figures.cache)
        usage.member("photos", figures.photos)
        usage.member("other", figures.other)
        usage.member("total", total)
        usage.member("apparentBytes", figures.totals.map { JSONText(integer: $0.apparentBytes) })
        usage.member("reclaimableBytes", figures.totals.map { JSONText(integer: $0.reclaimableBytes) })
        usage.member("complete", figures.totals?.isComplete ?? true)
        usage.key("warnings")
        usage.array { list in
          for warning in figures.totals?.warnings ?? [] {
            list.object { entry in
              entry.member("path", warning.path)
              entry.member("message", warning.message)
            }
          }
        }
        usage.member("asOf", figures.asOf)
      }
    }
  }

  private var summarySection: JSONText {
    let (title, free) = ("Used by this app", shownFree)
    let totalText = ByteCount(total).text
    let freeText = free.map { ByteCount($0).text + " free" }
    return JSONText { writer in
      writer.object { summary in
        summary.member("title", title)
        summary.member("total", total)
        summary.member("totalText", totalText)
        summary.member("free", free.map { JSONText(integer: $0) })
        summary.member("freeText", freeText)
        summary.member("stale", isStale)
        summary.member(
          "accessibilityLabel", "\(title), \(totalText)" + (freeText.map { ". \($0) on this device" } ?? ""))
      }
    }
  }

  private func barSection(_ parts: [Part], _ shares: BarShares) -> JSONText {
    JSONText { writer in
      writer.object { bar in
        bar.member("capacity", capacity)
        bar.member("empty", JSONText(share: shares.empty))
        bar.key("segments")
        bar.array { list in
          for (part, share) in zip(parts, shares.parts) {
            list.object { segment in
              segment.member("key", part.key)
              segment.member("label", part.label)
              segment.member("bytes", part.bytes)
              segment.member("share", JSONText(share: share))
              segment.member("tone", part.tone.rawValue)
            }
          }
        }
      }
    }
  }

  private func legendSection(_ parts: [Part]) -> JSONText {
    JSONText { writer in
      writer.array { legend in
        for part in parts {
          let size = ByteCount(part.bytes).text
          legend.object { entry in
            entry.member("key", part.key)
            entry.member("label", part.label)
            entry.member("bytes", part.bytes)
            entry.member("sizeText", size)
            entry.member("accessibilityLabel", "\(part.label), \(size)")
          }
        }
      }
    }
  }

  /// Whether clearing could begin now.
  var isClearEnabled: Bool {
    canClear && !isLoading && cache > 0 && (clear.name == .idle || clear.name == .failed)
  }

  private var clearSection: JSONText {
    // A checkmark is held first; then the button says that there is nothing left.
    let isEmpty = !isLoading && cache == 0 && clear.name != .working && clear.name != .done
    return JSONText { writer in
      writer.object { section in
        section.member("label", isEmpty ? "Cache is empty" : "Clear cache")
        section.member("enabled", isClearEnabled)
        section.member("phase", clear.name.rawValue)
        section.member("progress", clear.progress.map { JSONText(shortest: $0) })
        section.member("note", clear.message)
        section.member("noteTone", clear.tone?.rawValue)
      }
    }
  }

  /// Without the rows, which are its last member.
  private var downloadsSection: JSONText {
    let isRemovable = canRemove && !downloads.isEmpty
    return JSONText { writer in
      writer.object { section in
        section.member("title", "Downloads")
        section.member("count", downloads.count)
        section.member("canRemove", canRemove)
        section.member("editing", isEditing)
        section.member("editLabel", isRemovable ? isEditing ? "Done" : "Edit" : nil)
        section.key("rowActions")
        section.array { list in
          guard isRemovable else { return }
          list.object { action in
            action.member("id", "remove")
            action.member("label", "Remove download")
          }
        }
        section.member("emptyText", downloads.isEmpty ? "No downloads" : nil)
        section.member("message", errors.last?.text)
        section.member("tone", errors.isEmpty ? nil : Tone.danger.rawValue)
        section.key("errors")
        section.object { members in
          for error in errors {
            members.key(error.id)
            members.string(error.text)
          }
        }
      }
    }
  }

  static func row(_ download: Download, _ removing: [ExactText: Double?]) -> StateRows.Row {
    let progress = removing[ExactText(download.id)]
    let size = ByteCount(download.bytes).text
    let spoken = [download.title, download.detail.value ?? "", size].filter { !$0.isEmpty }
    let text = JSONText { writer in
      writer.object { row in
        row.member("id", download.id)
        row.member("title", download.title)
        row.member("detail", download.detail.value)
        row.member("symbol", download.symbol.value)
        row.member("bytes", download.bytes)
        row.member("sizeText", size)
        row.member("removing", progress != nil)
        row.member("progress", progress.flatMap(\.self).map { JSONText(shortest: $0) })
        row.member("accessibilityLabel", spoken.joined(separator: ", "))
      }
    }
    return StateRows.Row(id: download.id, text: text)
  }
}

extension JSONText {
  /// - Parameter share: ten-thousandths.
  init(share: Int) {
    self.init(shortest: Double(share) / Double(BarShares.whole))
  }
}
