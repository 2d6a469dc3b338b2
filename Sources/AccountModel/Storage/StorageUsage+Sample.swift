extension StorageUsage {
  /// Three downloads, 1.2 GB of cache, 4.8 GB in all.
  public static var sample: StorageUsage {
    StorageUsage(
      downloads: [
        download("d1", "Episode 12", "Audio · 52 min", "waveform", 52_400_000),
        download("d2", "Lisbon", "Offline map", "map", 847_600_000),
        download("d3", "The Long Valley", nil, "film", 1_200_000_000),
      ], cache: 1_200_000_000, photos: 1_100_000_000, other: 400_000_000)
  }

  /// What is free beside the sample.
  public static let sampleFree = 41_200_000_000

  private static func download(
    _ id: String, _ title: String, _ detail: String?, _ symbol: String, _ bytes: Int
  ) -> Download {
    var download = Download(id: id, title: title, bytes: bytes)
    if let detail { download.detail = .value(detail) }
    download.symbol = .value(symbol)
    return download
  }
}
