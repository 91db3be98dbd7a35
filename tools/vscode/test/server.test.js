// The library of VS Code's own client talks to gate. GATE is the program.
'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { spawn, execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const protocol = require('vscode-languageserver-protocol/node');

test('the client of VS Code shows, explains, fixes and accepts', { skip: !process.env.GATE && 'GATE is not set' }, async () => {
  const dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'gate-vscode-')));
  const git = (...args) => execFileSync('git', ['-C', dir, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args]);
  fs.writeFileSync(path.join(dir, 'a.py'), 'import os\n');
  git('init', '-q');
  git('add', '-A');
  git('commit', '-q', '-m', 'first');

  const server = spawn(process.env.GATE, ['lsp'], { cwd: dir, env: { ...process.env, HOME: dir }, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => server.on('exit', resolve));
  const c = protocol.createProtocolConnection(new protocol.StreamMessageReader(server.stdout), new protocol.StreamMessageWriter(server.stdin));
  const uri = pathToFileURL(path.join(dir, 'a.py')).toString();
  const said = {};
  let heard = () => {};
  c.onNotification(protocol.PublishDiagnosticsNotification.type, (d) => { said[d.version] = d.diagnostics; heard(); });
  const about = async (version) => {
    while (!said[version]) {
      await new Promise((resolve) => { heard = resolve; });
    }
    return said[version];
  };
  const edits = [];
  c.onRequest(protocol.ApplyWorkspaceEditRequest.type, (p) => { edits.push(p); return { applied: true }; });
  c.listen();

  const hello = await c.sendRequest(protocol.InitializeRequest.type, {
    processId: process.pid, rootUri: null, workspaceFolders: [{ uri: pathToFileURL(dir).toString(), name: 'project' }],
    initializationOptions: { askReason: true, account: 'ada' },
    capabilities: {
      workspace: { applyEdit: true, workspaceEdit: { documentChanges: true, resourceOperations: ['create'] } },
      textDocument: { publishDiagnostics: { versionSupport: true }, hover: { contentFormat: ['markdown'] } },
    },
  });
  assert.strictEqual(hello.serverInfo.name, 'gate');
  await c.sendNotification(protocol.InitializedNotification.type, {});
  await c.sendNotification(protocol.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: 'python', version: 1, text: 'import os\n' } });
  assert.deepStrictEqual(await about(1), []);
  const end = { line: 1, character: 0 };
  await c.sendNotification(protocol.DidChangeTextDocumentNotification.type, {
    textDocument: { uri, version: 2 }, contentChanges: [{ range: { start: end, end }, text: "os.chmod('data', 0o777)\n" }],
  });
  const [found] = await about(2);
  assert.strictEqual(found.code, 'privilege/python-world-writable');
  assert.strictEqual(found.severity, protocol.DiagnosticSeverity.Warning);

  const hover = await c.sendRequest(protocol.HoverRequest.type, { textDocument: { uri }, position: { line: 1, character: 3 } });
  assert.match(hover.contents.value, /\*\*Why:\*\*/);

  const actions = await c.sendRequest(protocol.CodeActionRequest.type, { textDocument: { uri }, range: found.range, context: { diagnostics: [found] } });
  const fix = actions.find((a) => a.title === 'gate: let only the owner write');
  assert.strictEqual(fix.edit.documentChanges[0].edits[0].newText, "os.chmod('data', 0o755)");
  const accept = actions.find((a) => a.command?.command === 'gate.askReason');
  const [finding] = accept.command.arguments;

  await c.sendRequest(protocol.ExecuteCommandRequest.type, { command: 'gate.accept', arguments: [{ ...finding, reason: 'shared with the group' }] });
  assert.strictEqual(edits[0].edit.documentChanges[0].edits[0].newText, '# gate:allow privilege/python-world-writable reason="shared with the group"\n');
  await c.sendRequest(protocol.ExecuteCommandRequest.type, { command: 'gate.dismiss', arguments: [{ ...finding, reason: 'shared with the group' }] });
  assert.strictEqual(edits[1].edit.documentChanges[0].kind, 'create');
  const [entry] = JSON.parse(edits[1].edit.documentChanges[1].edits[0].newText).findings ?? JSON.parse(edits[1].edit.documentChanges[1].edits[0].newText).entries;
  assert.strictEqual(entry.by, 'ada');
  assert.ok(!fs.existsSync(path.join(dir, '.gate-baseline.json')));
  await assert.rejects(c.sendRequest(protocol.ExecuteCommandRequest.type, { command: 'gate.accept', arguments: [{ ...finding, reason: '' }] }), /reason/);

  await c.sendRequest(protocol.ShutdownRequest.type);
  await c.sendNotification(protocol.ExitNotification.type);
  assert.strictEqual(await ended, 0);
  fs.rmSync(dir, { recursive: true });
});
