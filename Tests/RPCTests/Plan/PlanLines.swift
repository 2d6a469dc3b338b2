// swift-format-ignore-file: lines of the protocol are long.

/// The complete lines of a session: what a client may rely on, byte for byte.
enum PlanLines {
  /// F1 as it is given.
  static let plus =
    ##"{"name":"Plus","price":{"amount":"9.99","currencyCode":"USD"},"period":"month","status":{"renews":"2026-11-02"},"meters":[{"id":"storage","label":"Storage","used":8.2,"limit":10,"unit":"GB"},{"id":"exports","label":"Exports","used":412,"limit":1000,"resets":"2026-11-02"}],"upgrade":{"title":"Upgrade to Studio","detail":"100 GB and more exports"}}"##

  /// `plan.get` with F1.
  static let get =
    ##"{"jsonrpc":"2.0","id":1,"result":{"revision":0,"state":{"plan":{"name":"Plus","price":{"amount":"9.99","currencyCode":"USD"},"period":"month","status":{"renews":"2026-11-02"},"meters":[{"id":"storage","label":"Storage","used":8.2,"limit":10,"unit":"GB"},{"id":"exports","label":"Exports","used":412,"limit":1000,"resets":"2026-11-02"}],"upgrade":{"title":"Upgrade to Studio","detail":"100 GB and more exports"}},"loading":false,"refreshing":false,"summary":{"name":"Plus","chip":{"text":"Active","tone":"success"},"priceLine":"$9.99 per month","dateLine":"Renews Nov 2","dateTone":"secondary","dateIsPast":false,"changeLine":null,"stale":false,"asOf":null,"accessibilityLabel":"Plus plan, $9.99 per month. Active. Renews Nov 2"},"usage":{"title":"Usage","meters":[{"id":"storage","label":"Storage","symbol":null,"group":null,"used":8.2,"limit":10,"unit":"GB","warnAt":0.85,"resets":null,"fraction":0.82,"ratio":0.82,"level":"normal","tone":"primary","figure":"8.2 of 10 GB","percentText":"82%","allowance":false,"statusText":null,"resetsText":null,"resetIsPast":false,"overageText":null,"line":null,"accessibilityLabel":"Storage","accessibilityValue":"8.2 of 10 GB, 82%"},{"id":"exports","label":"Exports","symbol":null,"group":null,"used":412,"limit":1000,"unit":"","warnAt":0.85,"resets":"2026-11-02","fraction":0.412,"ratio":0.412,"level":"normal","tone":"primary","figure":"412 of 1,000","percentText":"41%","allowance":true,"statusText":null,"resetsText":"Resets Nov 2","resetIsPast":false,"overageText":null,"line":"Resets Nov 2","accessibilityLabel":"Exports","accessibilityValue":"412 of 1,000, 41%, Resets Nov 2"}]},"upgrade":{"title":"Upgrade to Studio","detail":"100 GB and more exports","phase":"idle","progress":null,"message":null,"tone":null},"manage":{"label":"Manage subscription","visible":true,"custom":false},"restore":{"label":"Restore purchases","custom":false,"phase":"idle","progress":null,"message":null,"tone":null},"locale":"en_US","timeZone":"UTC"}}}"##

  /// An upgrade begins.
  static let working =
    ##"{"jsonrpc":"2.0","method":"plan.state","params":{"revision":1,"cause":"upgrade","requestId":1,"state":{"upgrade":{"title":"Upgrade to Studio","detail":"100 GB and more exports","phase":"working","progress":null,"message":null,"tone":null}},"motion":[{"target":"upgrade","curve":"snappy"}]}}"##

  /// The handler returned Studio.
  static let done =
    ##"{"jsonrpc":"2.0","method":"plan.state","params":{"revision":2,"cause":"upgrade","requestId":1,"state":{"plan":{"name":"Studio","price":{"amount":"19.99","currencyCode":"USD"},"period":"month","status":{"renews":"2026-11-02"},"meters":[{"id":"storage","label":"Storage","used":8.2,"limit":100,"unit":"GB"},{"id":"exports","label":"Exports","used":412,"limit":5000,"resets":"2026-11-02"}],"upgrade":null},"summary":{"name":"Studio","chip":{"text":"Active","tone":"success"},"priceLine":"$19.99 per month","dateLine":"Renews Nov 2","dateTone":"secondary","dateIsPast":false,"changeLine":null,"stale":false,"asOf":null,"accessibilityLabel":"Studio plan, $19.99 per month. Active. Renews Nov 2"},"usage":{"title":"Usage","meters":[{"id":"storage","label":"Storage","symbol":null,"group":null,"used":8.2,"limit":100,"unit":"GB","warnAt":0.85,"resets":null,"fraction":0.082,"ratio":0.082,"level":"normal","tone":"primary","figure":"8.2 of 100 GB","percentText":"8%","allowance":false,"statusText":null,"resetsText":null,"resetIsPast":false,"overageText":null,"line":null,"accessibilityLabel":"Storage","accessibilityValue":"8.2 of 100 GB, 8%"},{"id":"exports","label":"Exports","symbol":null,"group":null,"used":412,"limit":5000,"unit":"","warnAt":0.85,"resets":"2026-11-02","fraction":0.0824,"ratio":0.0824,"level":"normal","tone":"primary","figure":"412 of 5,000","percentText":"8%","allowance":true,"statusText":null,"resetsText":"Resets Nov 2","resetIsPast":false,"overageText":null,"line":"Resets Nov 2","accessibilityLabel":"Exports","accessibilityValue":"412 of 5,000, 8%, Resets Nov 2"}]},"upgrade":{"title":"Upgrade to Studio","detail":"100 GB and more exports","phase":"done","progress":null,"message":null,"tone":null}},"motion":[{"target":"usage/storage","from":0.82,"to":0.082,"curve":"smooth"},{"target":"usage/exports","from":0.412,"to":0.0824,"curve":"smooth"},{"target":"upgrade","curve":"snappy"}],"feedback":"success","announcement":{"text":"Upgrade complete","politeness":"polite"}}}"##

  /// The reply to it.
  static let completed = ##"{"jsonrpc":"2.0","id":1,"result":{"outcome":"completed","revision":2}}"##

  /// The checkmark was held.
  static let folded =
    ##"{"jsonrpc":"2.0","method":"plan.state","params":{"revision":3,"cause":"upgrade","state":{"upgrade":null},"motion":[{"target":"upgrade","curve":"snappy"}]}}"##

  /// The handler failed.
  static let failed =
    ##"{"jsonrpc":"2.0","method":"plan.state","params":{"revision":2,"cause":"upgrade","requestId":1,"state":{"upgrade":{"title":"Upgrade to Studio","detail":"100 GB and more exports","phase":"failed","progress":null,"message":"Card declined.","tone":"danger"}},"motion":[{"target":"upgrade","curve":"snappy"}],"feedback":"error","announcement":{"text":"Card declined.","politeness":"assertive"}}}"##

  /// The reply to it.
  static let failure =
    ##"{"jsonrpc":"2.0","id":1,"error":{"code":100,"message":"Card declined.","data":{"action":"upgrade","handler":"exec","exitStatus":1}}}"##

  /// The person backed out, or the request was cancelled.
  static let resting =
    ##"{"jsonrpc":"2.0","method":"plan.state","params":{"revision":2,"cause":"upgrade","requestId":1,"state":{"upgrade":{"title":"Upgrade to Studio","detail":"100 GB and more exports","phase":"idle","progress":null,"message":null,"tone":null}},"motion":[{"target":"upgrade","curve":"snappy"}]}}"##

  /// The reply to the former.
  static let cancelled = ##"{"jsonrpc":"2.0","id":1,"result":{"outcome":"cancelled","revision":2}}"##

  /// The reply to the latter.
  static let requestCancelled =
    ##"{"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"Request cancelled","data":{"action":"upgrade"}}}"##
}
