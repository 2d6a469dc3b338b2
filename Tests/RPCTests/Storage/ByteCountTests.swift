import AccountModel
import Testing

struct ByteCountTests {
  @Test(arguments: [
    (0, "0 bytes"), (1, "1 byte"), (2, "2 bytes"), (999, "999 bytes"), (1_000, "1 kB"),
    // No decimals for kB, of two as near the even one.
    (1_499, "1 kB"), (1_500, "2 kB"), (2_500, "2 kB"), (2_501, "3 kB"), (999_499, "999 kB"), (999_500, "1 MB"),
    // One for MB.
    (1_000_000, "1 MB"), (1_049_999, "1 MB"), (1_050_000, "1 MB"), (1_050_001, "1.1 MB"), (1_150_000, "1.2 MB"),
    (52_400_000, "52.4 MB"), (847_600_000, "847.6 MB"), (400_000_000, "400 MB"), (999_949_999, "999.9 MB"),
    (999_950_000, "1 GB"),
    // Two from GB on.
    (1_250_000_000, "1.25 GB"), (1_200_000_000, "1.2 GB"), (1_005_000_000, "1 GB"), (1_015_000_000, "1.02 GB"),
    (2_100_000_000, "2.1 GB"), (4_800_000_000, "4.8 GB"), (41_200_000_000, "41.2 GB"), (1_050_000_000, "1.05 GB"),
    (999_994_999_999, "999.99 GB"), (999_995_000_000, "1 TB"), (1_500_000_000_000, "1.5 TB"),
    (999_995_000_000_000, "1 PB"), (999_995_000_000_000_000, "1 EB"), (.max, "9.22 EB"),
  ])
  func `a byte count is written in the unit that fits after rounding`(bytes: Int, text: String) {
    #expect(ByteCount(bytes).text == text)
  }
}
