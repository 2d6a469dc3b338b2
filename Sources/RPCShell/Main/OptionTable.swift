import CLinux
import Glibc

/// A set of long options, in the order of their raw values, which count from 0.
protocol OptionName: RawRepresentable<Int> {
  static var count: Int { get }
  /// The one that `-h` stands for.
  static var help: Self { get }
  /// `max-message`
  var text: StaticString { get }
  var takesValue: Bool { get }
}

/// The process's arguments, read one by one with getopt_long(3).
struct OptionTable<Name: OptionName>: ~Copyable {
  enum Match {
    /// An option and its value ("" if it takes none).
    case option(Name, value: String)
    /// What is no option: a command, or what belongs to it.
    case operand(String)
    case unknown(String)
    case missingValue(String)
  }

  /// What options are numbered from, so that none looks like a letter.
  private static var base: Int32 { 256 }

  /// Not an array: instantiating its type would be a good part of a session's start.
  private let entries: UnsafeMutablePointer<option>
  /// `--` was seen.
  private var isBehindOptions = false

  init() {
    entries = .allocate(capacity: Name.count + 1)
    for index in 0..<Name.count {
      guard let name = Name(rawValue: index) else { continue }
      let text = UnsafeRawPointer(name.text.utf8Start).assumingMemoryBound(to: CChar.self)
      let argument = name.takesValue ? required_argument : no_argument
      entries[index] = option(name: text, has_arg: argument, flag: nil, val: Self.base + Int32(index))
    }
    entries[Name.count] = option()
    cl_reset_getopt()
  }

  deinit { entries.deallocate() }

  /// The next argument; nil when there are no more.
  mutating func next() -> Match? {
    if isBehindOptions { return nextOperand() }
    var index: Int32 = 0
    // '-' gives operands in their places, whatever POSIXLY_CORRECT says; ':' tells a missing value from an unknown option.
    let found = cl_getopt_long(CommandLine.argc, CommandLine.unsafeArgv, "-:h", entries, &index)
    switch found {
    case -1:
      isBehindOptions = true
      return nextOperand()
    case 1: return .operand(value)
    case Int32(UInt8(ascii: "h")): return .option(.help, value: "")
    case Int32(UInt8(ascii: ":")): return .missingValue(previousArgument)
    default:
      guard let name = Name(rawValue: Int(found - Self.base)) else { return .unknown(unknownOption) }
      return .option(name, value: value)
    }
  }

  private var value: String { cl_optarg().map { String(cString: $0) } ?? "" }

  /// The next argument behind `--`, which is an operand whatever it looks like.
  private func nextOperand() -> Match? {
    let index = cl_optind()
    guard index < CommandLine.argc else { return nil }
    cl_set_optind(index + 1)
    return .operand(argument(index))
  }

  /// A letter in a cluster of them, or a long option.
  private var unknownOption: String {
    // A flag that was given a value comes with its own number.
    guard let letter = UInt8(exactly: cl_optopt()), letter != 0 else { return previousArgument }
    return "-\(Unicode.Scalar(letter))"
  }

  /// The argument that getopt_long looked at last.
  private var previousArgument: String { argument(cl_optind() - 1) }

  private func argument(_ index: Int32) -> String {
    CommandLine.unsafeArgv[Int(index)].map { String(cString: $0) } ?? ""
  }
}
