'use strict';

const test = require('node:test');
const assert = require('node:assert');
const Module = require('node:module');

// load loads the extension with modules that note what is asked of them.
function load({ reason, dirty = false, fails } = {}) {
  const seen = { commands: {}, sent: [], errors: [], started: 0, stopped: 0 };
  const vscode = {
    workspace: { getConfiguration: () => ({ inspect: (name) => ({ defaultValue: { path: 'gate', arguments: [], account: '' }[name] }) }) },
    window: {
      activeTextEditor: { document: { isDirty: dirty, save: async () => { seen.saved = true; return true; }, uri: { toString: () => 'file:///a.py' } } },
      showInputBox: async (options) => { seen.asked = options; return reason; },
      showErrorMessage: (text) => { seen.errors.push(text); },
    },
    commands: { registerCommand: (name, run) => { seen.commands[name] = run; return { dispose() {} }; } },
  };
  class LanguageClient {
    constructor(id, name, server, options) { Object.assign(seen, { server, options }); }
    async start() { seen.started++; if (fails) { throw new Error(fails); } }
    async stop() { seen.stopped++; }
    async sendRequest(method, params) { seen.sent.push({ method, params }); if (seen.refuses) { throw new Error(seen.refuses); } }
  }
  const original = Module._load;
  Module._load = (name, ...rest) => ({ vscode, 'vscode-languageclient/node': { LanguageClient } })[name] ?? original(name, ...rest);
  try {
    delete require.cache[require.resolve('../src/extension')];
    return { extension: require('../src/extension'), seen };
  } finally {
    Module._load = original;
  }
}

test('every command of the manifest is there, and the one that the server asks for', async () => {
  const { extension, seen } = load();
  await extension.activate({ subscriptions: [] });
  const wanted = require('../package.json').contributes.commands.map((c) => c.command).concat('gate.askReason');
  assert.deepStrictEqual(Object.keys(seen.commands).sort(), wanted.sort());
  assert.strictEqual(seen.started, 1);
  await extension.deactivate();
  assert.strictEqual(seen.stopped, 1);
});

test('a finding is accepted with the reason that the user gives', async () => {
  const { extension, seen } = load({ reason: 'x is a constant' });
  await extension.activate({ subscriptions: [] });
  await seen.commands['gate.askReason']({ uri: 'file:///a.py', line: 3, rule: 'a/b' });
  assert.deepStrictEqual(seen.sent, [{ method: 'workspace/executeCommand', params: { command: 'gate.accept', arguments: [{ uri: 'file:///a.py', line: 3, rule: 'a/b', reason: 'x is a constant' }] } }]);
});

test('nothing is accepted without a reason', async () => {
  const { extension, seen } = load({ reason: undefined });
  await extension.activate({ subscriptions: [] });
  await seen.commands['gate.askReason']({ uri: 'file:///a.py', line: 3, rule: 'a/b' });
  assert.deepStrictEqual(seen.sent, []);
});

test('a file is saved before it runs', async () => {
  const { extension, seen } = load({ dirty: true });
  await extension.activate({ subscriptions: [] });
  await seen.commands['gate.runFile']();
  assert.ok(seen.saved);
  assert.deepStrictEqual(seen.sent[0].params, { command: 'gate.run', arguments: [{ uri: 'file:///a.py' }] });
});

test('what went wrong is shown', async () => {
  const broken = load({ fails: 'no such file' });
  await broken.extension.activate({ subscriptions: [] });
  assert.match(broken.seen.errors[0], /gate.path/);
  await broken.seen.commands['gate.runFile']();
  assert.match(broken.seen.errors[1], /does not run/);
  const { extension, seen } = load();
  await extension.activate({ subscriptions: [] });
  seen.refuses = 'it did not run: no engine';
  await seen.commands['gate.runFile']();
  assert.match(seen.errors[0], /no engine/);
});
