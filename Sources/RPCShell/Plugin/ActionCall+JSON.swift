extension ActionCall {
  /// What a handler outside the process is given (docs/PROTOCOL.md, "Handlers"): the members that every call has, then
  /// those of the action.
  public var jsonText: JSONText {
    JSONText { writer in
      writer.object { call in
        call.member("action", action.rawValue)
        if !idempotencyKey.isEmpty { call.member("idempotencyKey", idempotencyKey) }
        call.member("timeout", JSONText(shortest: timeout))
        call.member("locale", locale)
        call.member("timeZone", timeZone)
        for member in details {
          call.key(member.name)
          call.text(member.value)
        }
      }
    }
  }
}
