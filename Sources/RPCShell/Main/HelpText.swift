/// What `--help` is about.
enum HelpTopic {
  case serve, call, schema, config, store

  /// The command's name.
  var command: String {
    switch self {
    case .serve: "rpcshell"
    case .call: "rpcshell call"
    case .schema: "rpcshell schema"
    case .config: "rpcshell config"
    case .store: "rpcshell store"
    }
  }

  /// What the command takes.
  var options: OptionSelection {
    let always = OptionSelection(.help).union(OptionSelection(.version))
    let surroundings = always.union(.surroundings)
    switch self {
    case .serve:
      return surroundings.union(OptionSelection(.framing)).union(OptionSelection(.strict)).union(
        OptionSelection(.drain)
      )
      .union(OptionSelection(.maxMessage)).union(OptionSelection(.trace))
    case .call:
      return surroundings.union(OptionSelection(.drain)).union(OptionSelection(.trace)).union(OptionSelection(.output))
        .union(OptionSelection(.quiet))
    case .schema: return always
    case .config: return surroundings
    case .store: return always.union(OptionSelection(.config)).union(OptionSelection(.force))
    }
  }
}

/// What `--help` prints: within 24 lines of 80 columns.
extension HelpTopic {
  var text: String {
    switch self {
    case .serve: Self.serveText
    case .call: Self.callText
    case .schema: Self.schemaText
    case .config: Self.configText
    case .store: Self.storeText
    }
  }

  private static var serveText: String {
    """
    rpcshell \(Version.current): the account page (plan, usage) as JSON-RPC 2.0 over stdio

    usage: rpcshell [options]                a session on stdin and stdout
           rpcshell call METHOD [PARAMS]     one request, and its result
           rpcshell schema                   all methods with their parameters
           rpcshell config check|example     what is configured; how to do that
           rpcshell store check|export|import   the account as it is kept
           rpcshell [COMMAND] --help|--version

      echo '{"method":"plan.upgrade"}' | rpcshell     watch an upgrade as events

    options:
      --config FILE        the configuration; else $RPCSHELL_CONFIG, else
                           rpcshell/config.json in $XDG_CONFIG_HOME or ~/.config
      --demo               the sample account, new each time
      --framing F          lines, headers (Content-Length) or auto (default)
      --strict             refuse messages without "jsonrpc":"2.0"
      --drain SECONDS      bound what still runs when input ends
      --max-message BYTES  refuse longer messages (default 67108864)
      --locale L           how dates, numbers and money read (default en_US)
      --time-zone TZ       the zone of dates (default: TZ, else the system's)
      --trace FILE         copy every byte in and out to FILE.in and FILE.out

    exit status: 0 all well, 1 something refused or failed, 2 usage, 74 no stdout

    """
  }

  private static let callText = """
    rpcshell call: one request, and its result on stdout

    usage: rpcshell call METHOD [PARAMS] [options]

    PARAMS is a JSON object in one argument, or - to read it from stdin.

      rpcshell call plan.get --output text     the plan as a person reads it
      rpcshell call plan.upgrade               {"outcome":"completed","revision":2}
      rpcshell call plan.set - < plan.json

    options:
      --output F           json: the result on one line (default);
                           text: for a person
      --quiet              print no result
      --drain SECONDS      give up after so long
      --config FILE, --demo, --locale L, --time-zone TZ, --trace FILE
                           as for a session (rpcshell --help)

    exit status: 0 done, 1 failed or not confirmed, 2 usage, 74 stdout could not be
    written, 130 cancelled

    """

  private static let schemaText = """
    rpcshell schema: all methods with their parameters and results

    usage: rpcshell schema

    Prints what the method rpc.discover answers, an OpenRPC 1.3 document, indented.

      rpcshell schema | jq -r '.methods[].name'

    """

  private static let configText = """
    rpcshell config: the configuration file

    usage: rpcshell config check [options]   what would be used, and who says so
           rpcshell config example           a file to start from, with comments

      mkdir -p ~/.config/rpcshell
      rpcshell config example > ~/.config/rpcshell/config.json
      rpcshell config check

    options:
      --config FILE        the configuration; else $RPCSHELL_CONFIG, else
                           rpcshell/config.json in $XDG_CONFIG_HOME or ~/.config
      --demo               the sample account; no other file than FILE is read
      --locale L           in place of what is configured
      --time-zone TZ       in place of what is configured

    exit status: 0 the file is good or there is none, 2 it is not; what is wrong
    and where goes to stderr on one line

    """

  private static let storeText = """
    rpcshell store: the account as it is kept, with the journal of what was done

    usage: rpcshell store check              whether it can be read, and is whole
           rpcshell store export             the account and its journal as JSON
           rpcshell store import [FILE]      puts that back; without FILE from stdin

      rpcshell store export > account.json
      rpcshell store import account.json

    options:
      --config FILE        the configuration that names the store; else
                           $RPCSHELL_CONFIG, else rpcshell/config.json in
                           $XDG_CONFIG_HOME or ~/.config
      --force              import: replace an account that is there

    exit status: 0 done, 1 the store cannot be used or is damaged, or what is
    imported is no export, 2 usage, 74 stdout could not be written

    """
}

/// The version of this program.
enum Version {
  static let current = "0.1.0"
}
