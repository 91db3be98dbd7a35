-- What the scripts of the tests are written with. It works from Neovim 0.7 on.
local lines, id, buf = {}, nil, nil

-- say writes a line of what the test compares.
function say(...)
  table.insert(lines, table.concat(vim.tbl_map(tostring, { ... }), ' '))
end

-- open edits a file, with gate as its language server.
function open(name)
  vim.cmd('edit ' .. name)
  buf = vim.api.nvim_get_current_buf()
  local root = vim.fn.getcwd()
  id = id or vim.lsp.start_client({
    name = 'gate', cmd = { vim.env.GATE, 'lsp' }, root_dir = root,
    workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
  })
  vim.lsp.buf_attach_client(buf, id)
end

-- diagnostics waits until there are some that hold, and says them.
function diagnostics(holds)
  local seen
  local ok = vim.wait(90000, function()
    seen = vim.diagnostic.get(buf)
    return holds(seen)
  end, 20)
  if not ok then
    say('what was waited for did not come')
  end
  table.sort(seen, function(a, b) return a.lnum < b.lnum or a.lnum == b.lnum and a.col < b.col end)
  for _, d in ipairs(seen) do
    local code = d.code or d.user_data.lsp.code
    say(('%d:%d-%d:%d'):format(d.lnum, d.col, d.end_lnum, d.end_col), ({ 'error', 'warning', 'information', 'hint' })[d.severity], d.source, code)
  end
  if #seen == 0 then
    say('no diagnostics')
  end
end

local function ask(method, params)
  params.textDocument = { uri = vim.uri_from_bufnr(buf) }
  local all, err = vim.lsp.buf_request_sync(buf, method, params, 90000)
  if err then
    say(method, err)
    return nil
  end
  local answer = all[id] or {}
  if answer.error then
    say(method, answer.error.code, answer.error.message)
  end
  return answer.result
end

-- hover says what is known of a line, the first words of each paragraph.
function hover(line)
  local h = ask('textDocument/hover', { position = { line = line, character = 0 } })
  if not h then
    say('nothing is known of line', line)
    return
  end
  for part in vim.gsplit(h.contents.value, '\n\n') do
    say('  ' .. part:gsub('\n', ' / '):sub(1, 60))
  end
end

-- actions says what can be done about a line, and returns it by title.
function actions(line)
  local all = ask('textDocument/codeAction', {
    range = { start = { line = line, character = 0 }, ['end'] = { line = line, character = 0 } }, context = { diagnostics = {} },
  })
  local out = {}
  for _, a in ipairs(all or {}) do
    say('  can', a.title, '(' .. a.kind .. ')')
    out[a.title] = a
  end
  return out
end

-- choose does what the user chose.
function choose(action)
  if not action then
    say('there is no such action')
  elseif action.edit then
    vim.lsp.util.apply_workspace_edit(action.edit, 'utf-16')
  else
    local all = vim.lsp.buf_request_sync(buf, 'workspace/executeCommand', action.command, 90000)
    local answer = (all or {})[id] or {}
    say('  command', answer.error and answer.error.message or vim.inspect(answer.result))
  end
end

-- type inserts a text as keys do, before a line.
function type_before(line, text)
  vim.api.nvim_win_set_cursor(0, { line + 1, 0 })
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes('O' .. text .. '<Esc>', true, false, true), 'xt', false)
end

-- show says the text.
function show()
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, -1, false)) do
    say('  | ' .. line)
  end
end

-- done ends the server and writes down what was said.
function done()
  local client = vim.lsp.get_client_by_id(id)
  client.stop()
  say(vim.wait(30000, function() return client.is_stopped() end, 20) and 'the server has ended' or 'the server has not ended')
  vim.fn.writefile(lines, vim.env.OUT)
  vim.cmd('qa!')
end
