" Vim's channels in mode nl drive rpcshell: a line is a message (docs/EMBEDDING.md).
set nocompatible encoding=utf-8
scriptencoding utf-8
source <sfile>:h/checks.vim

" >>> connect
let s:page = {} " the sections, each as it last came
let s:waiting = {} " what is called with the reply, by id

func s:Line(channel, line) abort
  let message = json_decode(a:line)
  if has_key(message, 'method')
    call s:Received(message)
  elseif has_key(s:waiting, message.id)
    call remove(s:waiting, message.id)(message)
  endif
endfunc

func s:Received(message) abort
  if a:message.method ==# 'plan.state'
    call extend(s:page, a:message.params.state)
  elseif a:message.method ==# 'host.onUpgrade'
    call timer_start(0, {_ -> s:Buy(a:message)})
  endif
endfunc

func s:Send(message) abort
  call ch_sendraw(s:shell, json_encode(extend({'jsonrpc': '2.0'}, a:message)) .. "\n")
endfunc

func s:Request(id, method, params, Done) abort
  let s:waiting[a:id] = a:Done
  call s:Send({'id': a:id, 'method': a:method, 'params': a:params})
endfunc

func s:Answer(question, result) abort
  call s:Send({'id': a:question.id, 'result': a:result})
endfunc

let s:job = job_start(['rpcshell'], {'mode': 'nl', 'out_cb': function('s:Line')})
let s:shell = job_getchannel(s:job)
call s:Request('hello', 'initialize', {'processId': getpid(), 'handlers': ['onUpgrade']}, {reply -> 0})
call s:Request('page', 'plan.get', {}, {reply -> extend(s:page, reply.result.state)})
" <<< connect

" The test

let s:events = []
let s:progress = []
let s:cancelled = []
let s:questions = []
let s:Take_received = funcref('s:Received')
func! s:Received(message) abort
  if a:message.method ==# 'plan.state'
    call add(s:events, a:message.params)
  elseif a:message.method ==# '$/progress'
    call add(s:progress, a:message.params)
  elseif a:message.method ==# '$/cancelRequest'
    call add(s:cancelled, a:message.params.id)
  endif
  call s:Take_received(a:message)
endfunc

" What the person does.
let s:answers = []
func s:Buy(question) abort
  call add(s:questions, a:question)
  call remove(s:answers, 0)(a:question)
endfunc

func s:Report_and_buy(question) abort
  call s:Send({'method': '$/progress', 'params': {'token': 'upgrade', 'value': {'kind': 'report', 'percentage': 40}}})
  call Wait({-> s:page.upgrade.progress == 0.4})
  call s:Answer(a:question, {'plan': g:studio})
endfunc

let s:reply = {}
func s:Replied(reply) abort
  let s:reply = a:reply
endfunc

" The reply to a request, under an id that is a string.
func s:Call(method, params = {}) abort
  let s:reply = {}
  call s:Request('the ' .. a:method, a:method, a:params, function('s:Replied'))
  call Wait({-> !empty(s:reply)})
  return s:reply
endfunc

call Check('initialize, plan.get', Wait({-> !empty(s:page)}) && s:page.summary.dateLine ==# 'Renews Nov 2', s:page)

let s:answers = [function('s:Report_and_buy')]
let s:reply = s:Call('plan.upgrade', {'workDoneToken': 'upgrade'})
call Check('the client does the upgrade', s:reply.result.outcome ==# 'completed'
      \ && s:questions[0].params.plan.name ==# 'Plus', [s:reply, s:questions])
call Check('working, then done', Phases(s:events) == ['working', 'working', 'done'], s:events)
call Check('the new plan is shown', s:page.summary.name ==# 'Studio', s:page)
let s:done = copy(s:events)->filter({_, event -> has_key(event, 'feedback')})
call Check('what to feel and to say', s:done[0].feedback ==# 'success'
      \ && s:done[0].announcement.text ==# 'Upgrade complete', s:done)
call Check('$/progress', copy(s:progress)->map({_, report -> report.value.kind}) == ['begin', 'report', 'end']
      \ && s:progress[0].token ==# 'upgrade', s:progress)
call Check('the button folds away', Wait({-> s:page.upgrade is v:null}), s:page.upgrade)

let s:reply = s:Call('plan.upgarde')
call Check('an unknown method', s:reply.error.code == -32601
      \ && stridx(s:reply.error.message, "did you mean 'plan.upgrade'?") > 0, s:reply)

call s:Call('plan.set', {'plan': g:non_ascii})
let s:reply = s:Call('plan.get')
call Check('a name outside ASCII, there and back', s:reply.result.state.plan.name ==# 'Größe-🚀', s:reply)
let s:reply = s:Call('shell.ping', g:non_ascii)
call Check('shell.ping', s:reply.result == g:non_ascii, s:reply)

let s:answers = [{question -> s:Answer(question, {'outcome': 'cancelled'})}]
let s:reply = s:Call('plan.upgrade')
call Check('the person backs out', s:reply.result.outcome ==# 'cancelled', s:reply)

" Nobody answers. The id of what is cancelled stands at the top, as some plugins write it.
let s:answers = [{question -> 0}]
let s:reply = {}
call s:Request('late', 'plan.upgrade', {}, function('s:Replied'))
call Check('an upgrade waits for the client', Wait({-> len(s:questions) == 3}) && s:questions[2].id == 1000003, s:questions)
call s:Send({'method': '$/cancelRequest', 'id': 'late'})
call Check('the cancel is passed on', Wait({-> s:cancelled == [1000003]}), s:cancelled)
call Check('and answered', Wait({-> !empty(s:reply)}) && s:reply.error.code == -32800, s:reply)
call Check('the button rests', s:page.upgrade.phase ==# 'idle', s:page.upgrade)
call s:Answer(s:questions[2], {'plan': g:studio})
let s:reply = s:Call('shell.ping')
call Check('an answer that comes late does no harm', s:reply.result == {}, s:reply)

let s:reply = s:Call('shutdown')
call Check('shutdown', s:reply.result is v:null, s:reply)
call s:Send({'method': 'exit'})
call Check('exit', Wait({-> job_status(s:job) ==# 'dead'}) && job_info(s:job).exitval == 0, job_info(s:job))
call Finish()
