" Vim's channels in mode lsp drive rpcshell (docs/EMBEDDING.md).
set nocompatible encoding=utf-8
scriptencoding utf-8
source <sfile>:h/checks.vim

" >>> show
let s:page = {} " the sections, each as it last came
let s:buffer = bufadd('account')
call bufload(s:buffer)
call setbufvar(s:buffer, '&buftype', 'nofile')
let s:popup = 0 " the question
let s:last = 0 " the id of the upgrade that runs

func s:Show() abort
  let summary = s:page.summary
  let lines = [join([summary.name, summary.priceLine ?? '', summary.dateLine ?? ''], '  ')]
  for meter in s:page.usage.meters
    call add(lines, '  ' .. meter.label .. '  ' .. meter.figure)
  endfor
  if !empty(s:page.upgrade)
    call add(lines, printf('  [%s]  %s', s:page.upgrade.title, s:page.upgrade.message ?? s:page.upgrade.phase))
  endif
  silent call deletebufline(s:buffer, 1, '$')
  call setbufline(s:buffer, 1, lines)
endfunc

func s:Received(channel, message) abort
  if a:message.method ==# 'plan.state'
    call extend(s:page, a:message.params.state)
    if a:message.params.cause ==# 'upgrade'
      let s:last = get(a:message.params, 'requestId', 0)
    endif
    call s:Show()
    if has_key(a:message.params, 'announcement')
      echomsg a:message.params.announcement.text
    endif
  elseif a:message.method ==# 'host.onUpgrade'
    call s:Buy(a:message)
  elseif a:message.method ==# '$/cancelRequest'
    call popup_close(s:popup, 0)
  endif
endfunc
" <<< show

" >>> answer
func s:Buy(question) abort " Here your billing takes over. A popup does not stop Vim, as confirm() would.
  let s:popup = popup_dialog('Upgrade from ' .. a:question.params.plan.name .. '? y/n', {
        \ 'filter': 'popup_filter_yesno', 'callback': {popup, result -> s:Decided(a:question, result == 1)}})
endfunc

func s:Decided(question, yes) abort
  if a:yes
    let price = {'amount': '19.99', 'currencyCode': 'USD'}
    let higher = extend(copy(a:question.params.plan), {'name': 'Studio', 'price': price, 'upgrade': v:null})
    call s:Answer(a:question, {'plan': higher})
  else
    call s:Answer(a:question, {'outcome': 'cancelled'})
  endif
endfunc

func s:Answer(question, result) abort
  if s:Running()
    call ch_sendexpr(s:shell, {'id': a:question.id, 'result': a:result})
  endif
endfunc
" <<< answer

" The test looks at everything before it is shown.
let s:events = []
let s:progress = []
let s:cancelled = []
let s:questions = []
let s:Show_received = funcref('s:Received')
func! s:Received(channel, message) abort
  if a:message.method ==# 'plan.state'
    call add(s:events, a:message.params)
  elseif a:message.method ==# '$/progress'
    call add(s:progress, a:message.params)
  elseif a:message.method ==# '$/cancelRequest'
    call add(s:cancelled, a:message.params.id)
  elseif a:message.method ==# 'host.onUpgrade'
    call add(s:questions, a:message)
  endif
  call s:Show_received(a:channel, a:message)
endfunc

" >>> connect
func s:Running() abort
  return exists('s:job') && job_status(s:job) ==# 'run'
endfunc

func s:Start() abort
  if !s:Running()
    let s:job = job_start(['rpcshell'], {'in_mode': 'lsp', 'out_mode': 'lsp', 'out_cb': function('s:Received'),
          \ 'exit_cb': function('s:Ended')})
    let s:shell = job_getchannel(s:job)
    call ch_evalexpr(s:shell, {'method': 'initialize', 'params': {'processId': getpid(), 'handlers': ['onUpgrade']}})
  endif
  call extend(s:page, ch_evalexpr(s:shell, {'method': 'plan.get'}).result.state)
  call s:Show()
  execute 'buffer' s:buffer
endfunc

func s:Ended(job, status) abort
  call popup_close(s:popup, 0)
  silent call deletebufline(s:buffer, 1, '$')
  call setbufline(s:buffer, 1, 'rpcshell has ended: :Account')
endfunc

func s:Replied(channel, reply) abort " What is refused changes nothing on the page.
  if has_key(a:reply, 'error') && a:reply.error.code != -32800
    echomsg a:reply.error.message
  endif
endfunc

func s:Upgrade() abort
  if !s:Running()
    echomsg ':Account comes first'
    return
  endif
  let request = {'method': 'plan.upgrade', 'params': {'workDoneToken': 'upgrade'}}
  call ch_sendexpr(s:shell, request, {'callback': function('s:Replied')})
endfunc

func s:Cancel() abort
  if s:Running() && s:last
    call ch_sendexpr(s:shell, {'method': '$/cancelRequest', 'params': {'id': s:last}})
  endif
endfunc

func s:Stop() abort
  if s:Running()
    call ch_evalexpr(s:shell, {'method': 'shutdown'})
    call ch_sendexpr(s:shell, {'method': 'exit'})
  endif
endfunc

command! Account call s:Start()
command! AccountUpgrade call s:Upgrade()
command! AccountCancel call s:Cancel()
command! AccountStop call s:Stop()
" <<< connect

" The test

func s:Call(method, params = {}) abort
  return ch_evalexpr(s:shell, {'method': a:method, 'params': a:params}, {'timeout': 5000})
endfunc

let s:replies = []
let s:Take_reply = funcref('s:Replied')
func! s:Replied(channel, reply) abort
  call add(s:replies, a:reply)
  call s:Take_reply(a:channel, a:reply)
endfunc

let s:said = execute('call s:Upgrade()')
call Check('nothing without a shell', s:said =~# ':Account comes first', s:said)

call s:Start()
call Check('initialize, plan.get', s:page.summary.dateLine ==# 'Renews Nov 2', s:page)
call Check('the page is in its buffer', getbufline(s:buffer, 1, '$') == ['Plus  $9.99 per month  Renews Nov 2',
      \ '  Storage  8.2 of 10 GB', '  Exports  412 of 1,000', '  [Upgrade to Studio]  idle'],
      \ getbufline(s:buffer, 1, '$'))

" The person says yes. The report comes first.
let s:Asked = funcref('s:Buy')
func! s:Buy(question) abort
  call s:Asked(a:question)
  call timer_start(0, function('s:Report_and_agree'))
endfunc
func s:Report_and_agree(timer) abort
  call ch_sendexpr(s:shell, {'method': '$/progress',
        \ 'params': {'token': 'upgrade', 'value': {'kind': 'report', 'percentage': 40}}})
  call Wait({-> s:page.upgrade.progress == 0.4})
  call popup_close(s:popup, 1)
endfunc
call s:Upgrade()
call Check('the client does the upgrade', Wait({-> !empty(s:replies)}) && s:replies[0].result.outcome ==# 'completed'
      \ && s:questions[0].params.plan.name ==# 'Plus', [s:replies, s:questions])
call Check('working, then done', Phases(s:events) == ['working', 'working', 'done'], s:events)
call Check('the new plan is shown', s:page.summary.name ==# 'Studio' && len(s:page.usage.meters) == 2, s:page)
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

func! s:Buy(question) abort
  call s:Asked(a:question)
  call timer_start(0, {_ -> popup_close(s:popup, -1)}) " as Ctrl-C does
endfunc
let s:replies = []
call s:Upgrade()
call Check('the person backs out', Wait({-> !empty(s:replies)}) && s:replies[0].result.outcome ==# 'cancelled', s:replies)

" Nobody answers, until the question is withdrawn.
func! s:Buy(question) abort
  call s:Asked(a:question)
endfunc
let s:replies = []
call s:Upgrade()
call Check('an upgrade waits for the client', Wait({-> len(s:questions) == 3}) && s:questions[2].id == 1000003, s:questions)
call s:Upgrade()
call Check('what is refused is said', Wait({-> !empty(s:replies)}) && execute('messages') =~# 'already running', s:replies)
let s:replies = []
call s:Cancel()
call Check('the cancel is passed on', Wait({-> s:cancelled == [1000003]}), s:cancelled)
call Check('and answered', Wait({-> !empty(s:replies)}) && s:replies[0].error.code == -32800, s:replies)
call Check('the button rests', s:page.upgrade.phase ==# 'idle', s:page.upgrade)
call Check('the question is closed', empty(popup_list()), popup_list())

" The shell dies while the person is asked.
call s:Upgrade()
call Check('asked again', Wait({-> !empty(popup_list())}), s:page)
call job_stop(s:job, 'kill')
call Check('the end is shown', Wait({-> getbufline(s:buffer, 1)[0] =~# 'has ended' && empty(popup_list())}),
      \ getbufline(s:buffer, 1, '$'))
call s:Start()
call Check('started again', s:page.summary.name ==# 'Plus', s:page)

call s:Stop()
call Check('shutdown, exit', Wait({-> job_status(s:job) ==# 'dead'}) && job_info(s:job).exitval == 0, job_info(s:job))
call Finish()
