#!/bin/sh
# A handler for onUpgrade, onManage and onRestore, to copy and to fill in. The call is one line of JSON on stdin; each
# line on stdout is a report or, at the end, the result; the exit status says how it went: 0 done, 130 backed out.
set -eu
call=$(cat)

# A member of the call that is a string.
field() { printf '%s' "$call" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
report() { printf '{"progress":%s,"message":"%s"}\n' "$1" "$2"; }

# Told to stop (a cancel, the time limit): what has not happened by now does not happen.
trap 'exit 130' TERM

case $RPCSHELL_ACTION in
onUpgrade)
  report null "Waiting for the bank"
  # Buy it here. Whoever takes the payment should be given the key: a second call with it must not pay twice.
  key=$(field idempotencyKey)
  [ -n "$key" ] || { echo "The call has no key." >&2; exit 1; }
  report 0.9 "Confirming"
  printf '%s' '{"outcome":"completed","plan":{"name":"Studio",'
  printf '%s' '"price":{"amount":"19.99","currencyCode":"USD"},"period":"month","status":{"renews":"2035-11-02"},'
  printf '%s\n' '"meters":[{"id":"storage","label":"Storage","used":8.2,"limit":100,"unit":"GB"}]}}'
  ;;
onManage)
  printf '{"outcome":"presented","url":"https://billing.example/me?locale=%s"}\n' "$(field locale)"
  ;;
onRestore)
  report 0.5 "Asking the store"
  printf '%s\n' '{"outcome":"completed","restored":1}'
  ;;
*)
  echo "$0 does not know how to do $RPCSHELL_ACTION" >&2
  exit 64
  ;;
esac
