-- Neovim's vim.lsp.rpc drives rpcshell (docs/EMBEDDING.md).

-- >>> show
local page = {} -- the sections, each as it last came
local buffer = vim.api.nvim_create_buf(true, true)
local withdrawn -- whether nobody waits for the person's answer any more
local last -- the id of the upgrade that runs

local function show()
  local summary, upgrade = page.summary, page.upgrade
  local lines = { table.concat({ summary.name, summary.priceLine or '', summary.dateLine or '' }, '  ') }
  for _, meter in ipairs(page.usage.meters) do
    table.insert(lines, '  ' .. meter.label .. '  ' .. meter.figure)
  end
  if upgrade then
    table.insert(lines, '  [' .. upgrade.title .. ']  ' .. (upgrade.message or upgrade.phase))
  end
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.cmd('redraw')
end

local function known(value) -- without members that are null: old Neovims leave them out, new ones say vim.NIL
  if type(value) ~= 'table' then return value end
  for name, member in pairs(value) do
    if member == vim.NIL then value[name] = nil else known(member) end
  end
  return value
end

local function notified(method, params)
  if method == '$/cancelRequest' then withdrawn = true end
  if method ~= 'plan.state' then return end
  known(params)
  -- Therefore: what moves and is not there has gone.
  for _, motion in ipairs(params.motion or {}) do page[motion.target] = nil end
  for name, section in pairs(params.state) do page[name] = section end
  if params.cause == 'upgrade' then last = params.requestId end
  show()
  if params.announcement then vim.notify(params.announcement.text) end
end
-- <<< show

-- >>> answer
local function confirmed(question) -- as vim.fn.confirm, but messages are read meanwhile
  local key
  withdrawn = false
  vim.api.nvim_echo({ { question .. ' (y/n)' } }, false, {})
  vim.cmd('redraw')
  pcall(vim.wait, 600000, function() -- Ctrl-C ends it, as a no
    local code = vim.fn.getchar(0)
    if code ~= 0 then key = code end
    return withdrawn or key ~= nil
  end, 50)
  vim.cmd('redraw | echo')
  return key == ('y'):byte() and not withdrawn
end

local function buy(plan) -- Here your billing takes over.
  if not confirmed('Upgrade from ' .. plan.name .. '?') then return { outcome = 'cancelled' } end
  local price = { amount = '19.99', currencyCode = 'USD' }
  return { plan = { name = 'Studio', price = price, period = 'month', status = plan.status, meters = plan.meters } }
end

local function asked(method, params)
  if method == 'host.onUpgrade' then return buy(params.plan) end
  return nil, vim.lsp.rpc.rpc_response_error(vim.lsp.protocol.ErrorCodes.MethodNotFound)
end
-- <<< answer

-- >>> connect
local shell, status -- the exit status, when it has ended
local dispatchers = {
  notification = function(...) notified(...) end,
  server_request = function(...) return asked(...) end,
  on_exit = vim.schedule_wrap(function(code)
    status, withdrawn = code, true
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, { 'rpcshell has ended: :Account' })
  end),
}

local function running() return shell and not status end

local function refused(err) -- A failure is on the page already; what was not even begun is not.
  if err and err.message ~= (page.upgrade or {}).message then vim.notify(err.message, vim.log.levels.ERROR) end
end

local function start()
  if not running() then
    local older
    older, shell = pcall(vim.lsp.rpc.start, 'rpcshell', {}, dispatchers)
    if not older then shell = vim.lsp.rpc.start({ 'rpcshell' }, dispatchers) end -- as newer Neovims want it
    if not shell then return end -- It has been said why.
    status = nil
    shell.request('initialize', { processId = vim.fn.getpid(), handlers = { 'onUpgrade' } }, refused)
  end
  shell.request('plan.get', nil, function(_, result)
    page = known(result.state)
    show()
    vim.api.nvim_win_set_buf(0, buffer)
  end)
end

local function upgrade()
  if not running() then return vim.notify(':Account comes first', vim.log.levels.ERROR) end
  shell.request('plan.upgrade', { workDoneToken = 'upgrade' }, refused)
end

local function cancel() -- The request's callback is not called then: the state tells.
  if running() and last then shell.notify('$/cancelRequest', { id = last }) end
end

local function stop()
  if running() then shell.request('shutdown', nil, function() shell.notify('exit') end) end
end

vim.api.nvim_create_user_command('Account', start, {})
vim.api.nvim_create_user_command('AccountUpgrade', upgrade, {})
vim.api.nvim_create_user_command('AccountCancel', cancel, {})
vim.api.nvim_create_user_command('AccountStop', stop, {})
-- <<< connect

-- The test

local limit = 30 -- seconds, for the whole script
local great = {
  name = 'Größe-🚀', price = { display = '9,99 €' }, status = { noRenewal = true },
  upgrade = { title = 'Auf Größe XL' },
}
local passed, failed = 0, 0
local states, progress, cancelled, questions = {}, {}, {}, {}

local function check(name, holds, got)
  if holds then passed = passed + 1 else failed = failed + 1 end
  io.stdout:write(holds and ('ok   ' .. name .. '\n') or ('FAIL ' .. name .. ': got ' .. vim.inspect(got) .. '\n'))
end

local function finish()
  io.stdout:write(('%d passed, %d failed\n'):format(passed, failed))
  io.stdout:flush()
  vim.cmd((failed > 0 or passed == 0) and 'cquit 1' or 'qall!')
end

local function wait(condition) return (vim.wait(5000, condition, 5)) end

local function call(method, params)
  local done, err, result
  shell.request(method, params, function(e, r) done, err, result = true, e, r end)
  wait(function() return done end)
  return result, err
end

local function phases()
  return vim.tbl_map(function(event) return event.state.upgrade.phase end,
    vim.tbl_filter(function(event) return event.state.upgrade ~= nil end, states))
end

local function in_phase(phase) return function() return page.upgrade and page.upgrade.phase == phase end end

vim.defer_fn(function()
  check('ends within ' .. limit .. ' s', false)
  finish()
end, limit * 1000)

local show_notified = notified
notified = function(method, params)
  if method == '$/progress' then table.insert(progress, params) end
  if method == '$/cancelRequest' then table.insert(cancelled, params.id) end
  show_notified(method, params)
  if method == 'plan.state' then table.insert(states, params) end
end

-- What the person types: asked for again and again until it is a key, while messages are read.
local answers, keys = {}, {}
local echo = vim.api.nvim_echo
vim.api.nvim_echo = function(chunks, ...)
  if chunks[1][1]:find('?', 1, true) then
    table.insert(questions, chunks[1][1])
    keys = coroutine.wrap(answers[#questions])
  end
  echo(chunks, ...)
end
vim.fn.getchar = function() return keys() end

-- What was said beside the page.
local notices = {}
vim.notify = function(text) table.insert(notices, text) end

local function press(key) while true do coroutine.yield(key and key:byte() or 0) end end

start()
check('initialize, plan.get', wait(function() return page.summary end) and page.summary.dateLine == 'Renews Nov 2', page)
check('the page is in its buffer', vim.deep_equal(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), {
  'Plus  $9.99 per month  Renews Nov 2',
  '  Storage  8.2 of 10 GB',
  '  Exports  412 of 1,000',
  '  [Upgrade to Studio]  idle',
}), vim.api.nvim_buf_get_lines(buffer, 0, -1, false))

answers[1] = function()
  shell.notify('$/progress', { token = 'upgrade', value = { kind = 'report', percentage = 40 } })
  while page.upgrade.progress ~= 0.4 do coroutine.yield(0) end
  press('y')
end
upgrade()
wait(function() return #progress > 0 and progress[#progress].value.kind == 'end' end)
check('the client does the upgrade', vim.deep_equal(questions, { 'Upgrade from Plus? (y/n)' }), questions)
check('working, then done', vim.deep_equal(phases(), { 'working', 'working', 'done' }), phases())
check('the new plan is shown', page.summary.name == 'Studio' and #page.usage.meters == 2, page)
local done = vim.tbl_filter(function(event) return event.feedback end, states)[1] or {}
check('what to feel and to say',
  done.feedback == 'success' and done.announcement.text == 'Upgrade complete', states)
check('$/progress', vim.deep_equal(vim.tbl_map(function(report) return report.value.kind end, progress),
  { 'begin', 'report', 'end' }) and progress[1].token == 'upgrade', progress)
check('the button folds away', wait(function() return not page.upgrade end), page.upgrade)

local _, refusal = call('plan.upgarde')
check('an unknown method', refusal and refusal.code == -32601
  and refusal.message:find("did you mean 'plan.upgrade'?", 1, true), refusal)

call('plan.set', { plan = great })
local got = call('plan.get')
check('a name outside ASCII, there and back', got.state.plan.name == great.name, got)
check('shell.ping', vim.deep_equal(call('shell.ping', great), great))

answers[2] = function() press('n') end
local outcome = call('plan.upgrade', vim.empty_dict())
check('the person backs out', outcome and outcome.outcome == 'cancelled', outcome)

answers[3] = function() error('Keyboard interrupt') end
outcome = call('plan.upgrade', vim.empty_dict())
check('Ctrl-C is a no', outcome and outcome.outcome == 'cancelled', outcome)

-- Nobody answers, until the question is withdrawn.
local open
answers[4] = function()
  open = in_phase('working')()
  cancel()
  press()
end
upgrade()
wait(function() return #questions == 4 and in_phase('idle')() end)
check('an upgrade waits for the client', open, page.upgrade)
check('the cancel is passed on', vim.deep_equal(cancelled, { 1000004 }) and withdrawn, cancelled)
check('the button rests', in_phase('idle')(), page.upgrade)
check('nothing is said of it', vim.deep_equal(notices, { 'Upgrade complete' }), notices)

-- Two at once: the second one is refused, and no event comes of it.
answers[5] = function()
  upgrade()
  while #notices < 2 do coroutine.yield(0) end
  cancel()
  press()
end
upgrade()
wait(function() return #questions == 5 and in_phase('idle')() end)
check('the first one is cancelled', cancelled[2] == 1000005, cancelled)
check('what is refused is said', notices[2] == 'An upgrade is already running', notices)

-- The shell dies while the person is asked.
local pid = vim.fn.system({ 'pgrep', '-P', tostring(vim.fn.getpid()), 'rpcshell' })
answers[6] = function()
  vim.loop.kill(tonumber(pid), 'sigkill')
  press()
end
upgrade()
local function first_line() return vim.api.nvim_buf_get_lines(buffer, 0, 1, false)[1] end
check('the end is shown', wait(function() return first_line():find('has ended') end), first_line())
upgrade()
check('nothing without a shell', notices[#notices] == ':Account comes first', notices)
start()
check('started again', wait(function() return first_line():find('^Plus') end), first_line())

local before = shell
start()
check('a second start takes the same shell', shell == before, { before, shell })

stop()
check('shutdown, exit', wait(function() return status end) and status == 0, status)

-- The client of the language servers, which sends an initialize of its own.
local answered, left
states = {}
local client = vim.lsp.start_client({
  name = 'account', cmd = { 'rpcshell' },
  before_init = function(params) params.handlers = { 'onUpgrade' } end,
  handlers = {
    ['plan.state'] = function(_, event) table.insert(states, known(event)) end,
    ['host.onUpgrade'] = function() return { outcome = 'cancelled' } end,
  },
  on_init = function(self)
    self.request('plan.upgrade', vim.empty_dict(), function(_, result)
      answered = result
      self.stop()
    end, 0)
  end,
  on_exit = function(code) left = code end,
})
check('vim.lsp.start_client', client and wait(function() return answered end) and answered.outcome == 'cancelled',
  { client, answered })
check('its events', vim.deep_equal(phases(), { 'working', 'idle' }), states)
check('its exit status', wait(function() return left end) and left == 0, left)
finish()
