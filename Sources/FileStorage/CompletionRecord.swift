import AccountModel
import RPCShell

/// When downloads were seen to be complete: the age of a file's own times says nothing, since they may be a server's.
///
/// A download is complete from when its size was last seen to change.
struct CompletionRecord: Sendable {
  private struct Entry: Sendable {
    /// Seconds since 1970-01-01T00:00:00Z.
    var seconds: Int
    var bytes: Int
  }

  private var entries: [ExactText: Entry] = [:]
  private let file: StateFile
  /// Whether there is something to keep.
  private(set) var isChanged = false

  /// - Parameters:
  ///   - folder: the state folder.
  ///   - log: takes a line where the record cannot be read: everything is new then.
  init(folder: String, log: (String) -> Void) {
    file = StateFile(folder: folder, name: "downloads.json")
    do throws(StateFileFailure) {
      guard let document = try file.read() else { return }
      guard document.view.kind == .object else {
        throw StateFileFailure("\(file.path): expected an object, got \(document.view.kind.rawValue)")
      }
      for (id, value) in document.view.members {
        guard let seconds = value["completedAt"]?.integer, seconds > 0, let bytes = value["bytes"]?.integer else {
          continue
        }
        entries[ExactText(id)] = Entry(seconds: seconds, bytes: bytes)
      }
    } catch { log("when downloads were finished is not known: \(error.message)") }
  }

  /// When a download was complete, as far as that was seen.
  ///
  /// - Parameters:
  ///   - changedAt: when anything about the file changed last: a newer file of the same size is another download.
  ///   - now: seconds since 1970-01-01T00:00:00Z. A time after it is that of a clock that was wrong.
  mutating func completion(of id: String, bytes: Int, changedAt: Int, now: Double) -> DateValue {
    let key = ExactText(id)
    let now = Int(now)
    if let entry = entries[key], entry.bytes == bytes, entry.seconds <= now, changedAt <= entry.seconds {
      return DateValue(at: Double(entry.seconds))
    }
    entries[key] = Entry(seconds: now, bytes: bytes)
    isChanged = true
    return DateValue(at: Double(now))
  }

  /// Forgets downloads that are gone.
  mutating func keep(only ids: [String]) {
    let known = Set(ids.map { ExactText($0) })
    let count = entries.count
    entries = entries.filter { known.contains($0.key) }
    if entries.count != count { isChanged = true }
  }

  /// Forgets a download.
  mutating func forget(_ id: String) {
    if entries.removeValue(forKey: ExactText(id)) != nil { isChanged = true }
  }

  /// Writes what changed.
  mutating func save() throws(StateFileFailure) {
    guard isChanged else { return }
    isChanged = false
    try file.write(
      JSONText { writer in
        writer.object { record in
          for (id, entry) in entries.sorted(by: { $0.key.text < $1.key.text }) {
            record.key(id.text)
            record.object { members in
              members.member("completedAt", entry.seconds)
              members.member("bytes", entry.bytes)
            }
          }
        }
      })
  }
}
