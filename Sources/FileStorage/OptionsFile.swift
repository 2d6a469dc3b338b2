public import AccountModel
import RPCShell

/// Keeps the options in `options.json` of the state folder.
public struct OptionsFile: StorageOptionsStore {
  private let file: StateFile
  private let log: @Sendable (String) -> Void

  /// - Parameters:
  ///   - folder: the state folder, absolute.
  ///   - log: takes a line where the file cannot be read: the defaults count then.
  public init(folder: String, log: @escaping @Sendable (String) -> Void) {
    file = StateFile(folder: folder, name: "options.json")
    self.log = log
  }

  public func options() -> StorageOptions {
    var options = StorageOptions()
    do throws(StateFileFailure) {
      guard let document = try file.read() else { return options }
      do throws(SchemaViolation) {
        try Schema.object(StorageOptions.properties).validate(document.view, unknown: .ignored)
      } catch { throw StateFileFailure("\(file.path): \(error.text)") }
      options.change(by: document.view)
    } catch { log("the options have their defaults: \(error.message)") }
    return options
  }

  public func keep(_ options: StorageOptions) throws(StorageFailure) {
    do throws(StateFileFailure) { try file.write(options.jsonText) } catch { throw StorageFailure(error.message) }
  }
}
