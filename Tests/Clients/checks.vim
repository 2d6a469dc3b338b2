" What the Vim clients share: checks that print a line each, a time limit, and waiting.
scriptencoding utf-8

const g:studio = {'name': 'Studio', 'price': {'amount': '19.99', 'currencyCode': 'USD'}, 'period': 'month',
      \ 'status': {'renews': '2026-11-02'}}
const g:non_ascii = {'name': 'Größe-🚀', 'price': {'display': '9,99 €'}, 'status': {'noRenewal': v:true},
      \ 'upgrade': {'title': 'Auf Größe XL'}}

let s:limit = 30 " seconds, for the whole script
let s:begun = reltime()
let v:errmsg = ''
let s:passed = 0
let s:failed = 0

func s:Print(line) abort
  call writefile([a:line], '/dev/stdout', 'a')
endfunc

func Check(name, holds, got = '') abort
  if a:holds
    let s:passed += 1
    call s:Print('ok   ' .. a:name)
  else
    let s:failed += 1
    call s:Print('FAIL ' .. a:name .. ': got ' .. string(a:got))
  endif
endfunc

func Finish() abort
  call Check('without an error of Vim', empty(v:errmsg), v:errmsg)
  call s:Print(printf('%d passed, %d failed', s:passed, s:failed))
  if s:failed || !s:passed
    cquit
  endif
  qall!
endfunc

" Whether the condition becomes true in time: channels are read while Vim sleeps.
func Wait(Condition) abort
  let since = reltime()
  while !a:Condition() && reltimefloat(reltime(since)) < 5
    if reltimefloat(reltime(s:begun)) > s:limit
      call Check(printf('ends within %d s', s:limit), 0)
      call Finish()
    endif
    sleep 5m
  endwhile
  return a:Condition()
endfunc

func Phases(events) abort
  return a:events->copy()
        \ ->filter({_, event -> type(get(event.state, 'upgrade', 0)) == v:t_dict})
        \ ->map({_, event -> event.state.upgrade.phase})
endfunc
