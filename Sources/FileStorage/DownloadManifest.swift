import AccountModel
import Glibc
import RPCShell

/// What an app says of its downloads: a file with a list of entries, one for each file or folder that it has something to
/// say about.
struct DownloadManifest: Sendable {
  /// What is said of one file or folder.
  struct Entry: Sendable {
    var id: String?
    var title: String?
    var detail: String?
    var symbol: String?
    var completedAt: DateValue?
  }

  private var entries: [[UInt8]: Entry] = [:]

  /// Longer files are refused.
  private static let limit = 64 << 20

  private static let schema = Schema.object([
    .required("file", .nonEmptyString), .optional("id", .nonEmptyString), .optional("title", .string),
    .optional("detail", .string), .optional("symbol", .string(maxBytes: Download.symbolLimit, nonEmpty: false)),
    .optional("completedAt", DateValue.schema),
  ])
  /// What is wrong with entries, which are passed over.
  private(set) var problems: [String] = []

  /// - Throws: why it cannot be used, with the place.
  init(reading path: String) throws(StorageFailure) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw StorageFailure(String(cString: strerror(errno))) }
    defer { close(descriptor) }
    let buffer = ByteBuffer(capacity: 1 << 14)
    switch buffer.append(allOf: descriptor, upTo: Self.limit) {
    case .complete: break
    case .failed(let code): throw StorageFailure(String(cString: strerror(code)))
    case .tooLong: throw StorageFailure("expected at most \(Self.limit >> 20) MiB")
    }
    let document: JSONDocument
    do throws(JSONParseFailure) { document = try JSONDocument(wholeText: buffer.bytes) } catch {
      throw StorageFailure(error.text(in: buffer.bytes))
    }
    guard document.view.kind == .array else {
      throw StorageFailure("expected an array, got \(document.view.kind.rawValue)")
    }
    var ids: [ExactText: Int] = [:]
    for (index, element) in document.view.elements.enumerated() {
      do throws(SchemaViolation) {
        try Self.schema.validate(element, path: "[\(index)]", unknown: .ignored)
        add(element)
        if let id = element["id"]?.string { try check(id, at: index, &ids) }
      } catch { problems.append(error.text) }
    }
    for (file, entry) in entries where entry.id.map({ ids[ExactText($0)] != 1 }) == true { entries[file]?.id = nil }
  }

  /// An id is taken where it is one file's alone and looks like no other's.
  private func check(_ id: String, at index: Int, _ ids: inout [ExactText: Int]) throws(SchemaViolation) {
    let isReserved = DownloadNames.reserved.contains { id.hasPrefix($0) }
    ids[ExactText(id), default: 0] += isReserved ? 2 : 1
    if isReserved {
      throw SchemaViolation(path: "[\(index)].id", reason: "expected an id that does not begin with './' or 'base64:'")
    }
    if ids[ExactText(id)]! > 1 {
      throw SchemaViolation(
        path: "[\(index)].id", reason: "expected an id that no other entry has, got '\(id.shortened)' again")
    }
  }

  private mutating func add(_ element: JSONView) {
    let file = element["file"]!.string!
    entries[Array(file.utf8)] = Entry(
      id: element["id"]?.string, title: element["title"]?.string, detail: element["detail"]?.string,
      symbol: element["symbol"]?.string,
      completedAt: element["completedAt"].flatMap { $0.isNull ? nil : DateValue(validated: $0) })
  }

  /// What is said of a child of a root: by its path, else by its name.
  func entry(_ name: [UInt8], in root: String) -> Entry? {
    entries[Array(root.utf8) + [UInt8(ascii: "/")] + name] ?? entries[name]
  }
}
