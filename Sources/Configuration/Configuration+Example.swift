extension Configuration {
  /// A file that says something about everything, valid as it stands: members whose name starts with `//` are comments.
  public static let example = """
    {
      "//": "Every member may be left out. A member whose name starts with // is a comment.",

      "// locale": "how dates, numbers and money read; by default en_US",
      "locale": "en_US",
      "// timeZone": "the zone of dates; by default TZ, else the system's, else UTC",
      "timeZone": "Europe/Berlin",

      "// store": "where the account is kept: a file, or memory alone; by default rpcshell's own file",
      "store": "sqlite:$XDG_STATE_HOME/podcasts/account.db",
      "// accountId": "which account of the store; by default default",
      "accountId": "default",

      "// handlers": "who does what: local is built in (the default), host asks the client, exec runs a program, http calls a server, plugin is one of those below, null is not available",
      "handlers": {
        "// timeout": "seconds after which a call is given up; by default 600 for onUpgrade, else 60",
        "onUpgrade": {"adapter": "local", "timeout": 300},
        "onManage": {"adapter": "host", "timeout": 120},
        "// url": "where http posts a call; each header is a text, a variable or a file, read at each call",
        "onRestore": {
          "adapter": "http",
          "url": "https://billing.example/restore",
          "headers": {"Authorization": {"env": "BILLING_TOKEN", "prefix": "Bearer "}},
          "// retries": "how often a call is tried again; 4 is the default",
          "retries": 4
        },
        "// command": "what exec runs, without a shell; env names the variables that it is given, cwd is where it starts",
        "onClearCache": {"adapter": "exec", "command": ["./clear", "--quiet"], "env": ["PATH"], "cwd": "~"},
        "onRemove": {"adapter": "plugin", "plugin": "media", "timeout": 60}
      },

      "// plugins": "programs that speak the same protocol: media.* is theirs; started at the first call",
      "plugins": [
        {
          "name": "media",
          "// command": "a program and its arguments; a path starts at this file, a name alone is looked for in PATH",
          "command": ["./media-plugin", "--quiet"],
          "// env": "the variables of this environment that it gets; no others",
          "env": ["HOME", "PATH"],
          "// cwd": "where it starts; by default where rpcshell is",
          "cwd": "~",
          "// startTimeout": "seconds in which it must answer initialize; the default",
          "startTimeout": 10
        }
      ],

      "// account": "what local works on; by default a sample: Plus, with Studio above it",
      "account": {
        "// plan": "what the account starts with; by default the first of the catalogue",
        "plan": {
          "name": "Basic",
          "price": {"free": true},
          "status": {"renews": "2035-01-15"},
          "meters": [{"id": "storage", "label": "Storage", "used": 1.5, "limit": 2, "unit": "GB"}],
          "upgrade": {"title": "Upgrade to Pro", "detail": "100 GB"}
        },
        "// catalogue": "what an upgrade climbs, the lowest first",
        "catalogue": [
          {
            "name": "Basic",
            "price": {"free": true},
            "status": {"renews": "2035-01-15"},
            "meters": [{"id": "storage", "label": "Storage", "used": 0, "limit": 2, "unit": "GB"}],
            "upgrade": {"title": "Upgrade to Pro", "detail": "100 GB"}
          },
          {
            "name": "Pro",
            "price": {"amount": "4.99", "currencyCode": "EUR"},
            "period": "month",
            "status": {"renews": "2035-01-15"},
            "meters": [{"id": "storage", "label": "Storage", "used": 0, "limit": 100, "unit": "GB"}]
          }
        ],
        "// manageURL": "the page where a subscription is managed; by default there is none",
        "manageURL": "https://billing.example/me"
      },

      "// storage": "what local measures and removes; by default rpcshell's own folders",
      "storage": {
        "// roots": "of each kind one or more folders; ~ and $NAME stand for folders, other paths start at this file",
        "roots": {
          "// downloads": "each file or folder in these is one download, and goes as a whole",
          "downloads": ["~/Podcasts"],
          "// cache": "what clearing the cache empties",
          "cache": ["$XDG_CACHE_HOME/podcasts"],
          "photos": [],
          "other": ["~/.local/share/podcasts"]
        },
        "// manifest": "what the app says of its downloads: titles, details, when they were finished",
        "manifest": "~/.local/share/podcasts/downloads.json",
        "// showsFreeSpace": "what is free on the device, beside what is used; the default",
        "showsFreeSpace": true,
        "// watch": "follow changes on disk; by default they show with the next measure",
        "watch": false,
        "// applyAutoRemove": "remove finished downloads as the options say; by default the app does that itself",
        "applyAutoRemove": false
      },

      "// holds": "seconds for which a checkmark stays; these are the defaults",
      "holds": {"upgrade": 1.2, "restore": 3, "clearCache": 3}
    }

    """
}
