-- Neovim's vim.lsp.rpc drives rpcshell (docs/EMBEDDING.md).

-- >>> show
local page = {} -- the sections, each as it last came
local buffer = vim.api.nvim_create_buf(true, true)

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
end

local function known(value) -- without members that are null: old Neovims leave them out, new ones say vim.NIL
  if type(value) ~= 'table' then return value end
  for name, member in pairs(value) do
    if member == vim.NIL then value[name] = nil else known(member) end
  end
  return value
end

local function notified(method, params)
  if method ~= 'plan.state' then return end
  known(params)
  -- Therefore: what moves and is not there has gone.
  for _, motion in ipairs(params.motion or {}) do page[motion.target] = nil end
  for name, section in pairs(params.state) do page[name] = section end
  show()
  if params.announcement then vim.notify(params.announcement.text) end
end
-- <<< show

-- >>> answer
local function buy(plan) -- Here your billing takes over.
  if vim.fn.confirm('Upgrade from ' .. plan.name .. '?', '&Yes\n&No') ~= 1 then return { outcome = 'cancelled' } end
  local price = { amount = '19.99', currencyCode = 'USD' }
  return { plan = { name = 'Studio', price = price, period = 'month', status = plan.status } }
end

local function asked(method, params)
  if method == 'host.onUpgrade' then return buy(params.plan) end
  return nil, vim.lsp.rpc.rpc_response_error(vim.lsp.protocol.ErrorCodes.MethodNotFound)
end
-- <<< answer

-- >>> connect
local status
local dispatchers = {
  notification = function(...) notified(...) end,
  server_request = function(...) return asked(...) end,
  on_exit = function(code) status = code end,
}
local older, shell = pcall(vim.lsp.rpc.start, 'rpcshell', {}, dispatchers)
if not older then shell = vim.lsp.rpc.start({ 'rpcshell' }, dispatchers) end -- as newer Neovims want it

local function start()
  shell.request('initialize', { processId = vim.fn.getpid(), handlers = { 'onUpgrade' } }, function() end)
  shell.request('plan.get', nil, function(_, result)
    page = known(result.state)
    show()
    vim.api.nvim_win_set_buf(0, buffer)
  end)
end

local function upgrade()
  local _, id = shell.request('plan.upgrade', { workDoneToken = 'upgrade' }, function() end)
  return id
end

local function cancel(id) -- The request's callback is not called then: the state tells.
  shell.notify('$/cancelRequest', { id = id })
end

local function stop()
  shell.request('shutdown', nil, function() shell.notify('exit') end)
end

vim.api.nvim_create_user_command('Account', start, {})
vim.api.nvim_create_user_command('AccountUpgrade', upgrade, {})
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

-- What the person says: it is asked while vim.wait goes on.
local answers = {}
vim.fn.confirm = function(question)
  table.insert(questions, question)
  return answers[#questions]()
end

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
  wait(function() return page.upgrade.progress == 0.4 end)
  return 1
end
upgrade()
wait(function() return #progress > 0 and progress[#progress].value.kind == 'end' end)
check('the client does the upgrade', vim.deep_equal(questions, { 'Upgrade from Plus?' }), questions)
check('working, then done', vim.deep_equal(phases(), { 'working', 'working', 'done' }), phases())
check('the new plan is shown', page.summary.name == 'Studio', page)
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

answers[2] = function() return 2 end
local outcome = call('plan.upgrade', vim.empty_dict())
check('the person backs out', outcome and outcome.outcome == 'cancelled', outcome)

-- The person is asked still when the upgrade is cancelled, and answers too late.
local late
answers[3] = function()
  check('an upgrade waits for the client', in_phase('working')(), page.upgrade)
  cancel(late)
  check('the cancel is passed on', wait(function() return vim.deep_equal(cancelled, { 1000003 }) end), cancelled)
  check('the button rests', wait(in_phase('idle')), page.upgrade)
  return 1
end
late = upgrade()
wait(function() return #questions == 3 and in_phase('idle')() end)
check('an answer that comes late does no harm', call('shell.ping') and page.summary.name == great.name, page.summary)

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
