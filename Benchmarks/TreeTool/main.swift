import FileTree
import Glibc

// tree measure [-t THREADS] [-e] DIR...: what is in each directory, as one line of JSON; for tests and benchmarks.
// -e measures each DIR as an entry of the directory that it is in.

/// Writes a line to stderr.
func complain(_ text: String) {
  let line = Array("tree: \(text)\n".utf8)
  _ = write(STDERR_FILENO, line, line.count)
}

/// Ends the program with what is wrong.
func fail(_ message: String, status: Int32 = 2) -> Never {
  complain(message)
  exit(status)
}

/// Text as a JSON string; bytes that are not UTF-8 are replaced.
func quoted(_ bytes: [UInt8]) -> String {
  var text = "\""
  for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
    switch scalar {
    case "\"", "\\": text += "\\\(scalar)"
    case "\0"..<" ": text += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
    default: text.unicodeScalars.append(scalar)
    }
  }
  return text + "\""
}

func json(_ sizes: TreeSizes) -> String {
  """
  {"allocated":\(sizes.allocated),"apparent":\(sizes.apparent),"reclaimable":\(sizes.reclaimable),\
  "entries":\(sizes.entries),"hasSharedLinks":\(sizes.hasSharedLinks)}
  """
}

func json(_ measure: TreeMeasure) -> String {
  let warnings = measure.warnings.map { #"{"path":\#(quoted($0.path)),"code":\#($0.code)}"# }
  return """
    {"peakKB":\(peakMemory()),"units":[\(measure.units.map(json).joined(separator: ","))],"reclaimable":\(measure.reclaimable),\
    "isComplete":\(measure.isComplete),"warningCount":\(measure.warningCount),\
    "warnings":[\(warnings.joined(separator: ","))]}
    """
}

/// The most memory that this process has held, in KiB: unlike that of getrusage(2), not also that of who started it.
func peakMemory() -> Int {
  let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
  defer { close(file) }
  var bytes = [UInt8](repeating: 0, count: 4_096)
  let count = max(read(file, &bytes, bytes.count), 0)
  let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
  let line = lines.first { $0.hasPrefix("VmHWM:") } ?? ""
  return Int(line.filter { ("0"..."9").contains($0) }) ?? 0
}

func unit(_ path: String, asEntry: Bool) -> TreeUnit {
  var path = path
  while path.count > 1 && path.last == "/" { path.removeLast() }
  var (directory, name) = (path, "")
  if asEntry {
    let end = path.lastIndex(of: "/")
    name = end.map { String(path[path.index(after: $0)...]) } ?? path
    directory = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }
  let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard descriptor >= 0 else { fail("\(directory): \(String(cString: strerror(errno)))", status: 1) }
  return asEntry
    ? .entry(Array(name.utf8), of: descriptor, path: directory) : .content(of: descriptor, path: directory)
}

func measure(_ arguments: [String]) {
  var (threads, asEntries, paths) = (2, false, arguments[...])
  while let option = paths.first, option.hasPrefix("-") {
    paths.removeFirst()
    switch option {
    case "-e": asEntries = true
    case "-t": threads = paths.popFirst().flatMap { Int($0) } ?? 0
    default: fail("unknown option \(option)")
    }
  }
  guard (1...2).contains(threads), !paths.isEmpty else { fail("usage: tree measure [-t 1|2] [-e] DIR...") }
  do {
    print(json(try TreeMeasure.measure(paths.map { unit($0, asEntry: asEntries) }, threads: threads)))
  } catch {
    fail("\(error)", status: 1)
  }
}

switch CommandLine.arguments.dropFirst().first {
case "measure": measure(Array(CommandLine.arguments.dropFirst(2)))
case let name?:
  guard let command = RemoveCommand(rawValue: name), (3...4).contains(CommandLine.argc) else {
    fail("usage: tree measure … | remove|clear|preview|sweep DIR [CHILD]")
  }
  exit(command.run(CommandLine.arguments[2], child: CommandLine.argc > 3 ? CommandLine.arguments[3] : nil))
default: fail("usage: tree measure … | remove|clear|preview|sweep DIR [CHILD]")
}
