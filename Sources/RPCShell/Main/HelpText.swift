/// What `--help` prints: one screen.
enum HelpText {
  static let serve = """
    rpcshell \(Version.current): the account page (plan and usage) as JSON-RPC 2.0 over stdin and stdout.

    usage: rpcshell [options]

      echo '{"method":"plan.upgrade"}' | rpcshell            watch an upgrade as state events
      echo '{"id":1,"method":"plan.get"}' | rpcshell         everything the page shows
      echo '{"id":1,"method":"rpc.discover"}' | rpcshell     all methods, with their parameters

    options:
      --demo               the sample account, in memory, new each time (so far, that is also the default);
                           RPCSHELL_NOW=2026-10-19T00:00:00Z stops its clock
      --framing F          lines, headers (Content-Length) or auto: told apart for each message (default)
      --strict             refuse messages without "jsonrpc":"2.0", and unknown members beside the usual four
      --drain SECONDS      bound what still runs when input ends; the rest is cancelled and answered 105
      --max-message BYTES  refuse longer messages (default 67108864)
      --locale L           how dates, numbers and money read (default en_US)
      --time-zone TZ       the zone of dates (default: TZ, else the system's, else UTC)
      --trace FILE         copy every byte in and out to FILE.in and FILE.out
      --version            the version
      -h, --help           this text

    exit status: 0 all well, 1 something was refused, failed or cut off, 2 usage, 74 stdout could not be written

    """
}

/// The version of this program.
enum Version {
  static let current = "0.1.0"
}
