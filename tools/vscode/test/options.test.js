'use strict';

const test = require('node:test');
const assert = require('node:assert');
const manifest = require('../package.json');
const { serverOptions, clientOptions, reasonProblem } = require('../src/options');

// settings are those of VS Code: by where they are set.
const settings = (all) => ({ inspect: (name) => ({ defaultValue: manifest.contributes.configuration.properties[`gate.${name}`].default, ...all[name] }) });

test('without settings, gate is started as it is in PATH', () => {
  assert.deepStrictEqual(serverOptions(settings({})), { command: 'gate', args: ['lsp'] });
  assert.strictEqual(clientOptions(settings({})).initializationOptions.account, '');
});

test('the settings of the user count', () => {
  const s = settings({ path: { globalValue: '/opt/gate' }, arguments: { globalValue: ['--base', 'origin/main'] }, account: { globalValue: 'ada' } });
  assert.deepStrictEqual(serverOptions(s), { command: '/opt/gate', args: ['lsp', '--base', 'origin/main'] });
  assert.deepStrictEqual(clientOptions(s).initializationOptions, { askReason: true, account: 'ada' });
});

test('a repository cannot say which program is started', () => {
  const s = settings({ path: { workspaceValue: './evil', workspaceFolderValue: './evil' }, arguments: { workspaceValue: ['--config', 'evil.yml'] } });
  assert.deepStrictEqual(serverOptions(s), { command: 'gate', args: ['lsp'] });
  for (const [name, property] of Object.entries(manifest.contributes.configuration.properties)) {
    assert.strictEqual(property.scope, 'machine', name);
  }
});

test('a reason has to say something', () => {
  assert.strictEqual(reasonProblem('x is a constant'), undefined);
  for (const bad of ['', '  ', 'ok', '123', 'say "why"', 'a'.repeat(301)]) {
    assert.ok(reasonProblem(bad), JSON.stringify(bad));
  }
});
