import Testing

@testable import FileStorage

/// How much room is left on a device.
struct FreeSpaceTests {
  @Test(
    arguments: [
      (0, 4096, 0), (10, 4096, 40_960), (10, 512, 5_120), (UInt64.max, 4096, 0), (UInt64.max - 5, 4096, 0),
      (1 << 62, 4096, .max), (1 << 62, 1, 1 << 62),
    ] as [(UInt64, UInt64, Int)])
  func `counts blocks for anybody in fragments, never below nothing`(available: UInt64, fragment: UInt64, bytes: Int) {
    #expect(FreeSpace.bytes(available: available, fragment: fragment) == bytes)
  }

  @Test func `is unknown where it cannot be read`() {
    #expect(FreeSpace.bytes(at: "/nowhere/at/all") == nil)
    #expect(FreeSpace.bytes(at: "/") != nil)
  }
}
