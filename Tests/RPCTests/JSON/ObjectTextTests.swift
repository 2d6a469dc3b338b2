import Testing

@testable import RPCShell

struct ObjectTextTests {
  @Test(arguments: [
    ("{}", "{}"), ("{ }", "{ }"), (#"{"a":1}"#, #"{"a":X}"#), (#"{"b":1,"a":"}\"","c":2}"#, #"{"b":1,"a":X,"c":2}"#),
    (#"{ "a" : [1,{"a":"]"}] , "b":{"a":1} }"#, #"{ "a" : X , "b":{"a":1} }"#), (#"{"a":-1.5e3}"#, #"{"a":X}"#),
    (#"{"a":null,"b":true}"#, #"{"a":X,"b":true}"#), (#"{"b":"\\","a":{}}"#, #"{"b":"\\","a":X}"#),
    (#"{"\"a":1,"a":""}"#, #"{"\"a":1,"a":X}"#), ("{\n\"a\"\n:\n[]\n}", "{\n\"a\"\n:\nX\n}"),
  ])
  func `one member changes and all else stays`(text: String, expected: String) {
    let result = Array(text.utf8).withUnsafeBytes { bytes in
      ObjectText(bytes).replacing { name, _ in
        name.elementsEqual("a".utf8) ? JSONText(trusted: [UInt8(ascii: "X")]) : nil
      }
    }
    #expect(result.description == expected)
  }

  @Test func `names and values are given as they are written`() {
    var seen: [String] = []
    _ = Array(#"{"a":1.0 ,"\u0062":"c\"" , "d":[ 1 ]}"#.utf8).withUnsafeBytes { bytes in
      ObjectText(bytes).replacing { name, value in
        seen.append(String(decoding: name, as: UTF8.self) + "=" + String(decoding: value, as: UTF8.self))
        return nil
      }
    }
    #expect(seen == ["a=1.0", #"\u0062="c\"""#, "d=[ 1 ]"])
  }
}
