// gate in VS Code: starts `gate lsp`, and asks for what the protocol has no question for.
'use strict';

const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');
const { serverOptions, clientOptions, reasonProblem } = require('./options');

let client;

// start starts the server with the settings of now.
async function start() {
  const settings = vscode.workspace.getConfiguration('gate');
  client = new LanguageClient('gate', 'gate', serverOptions(settings), clientOptions(settings));
  try {
    await client.start();
  } catch (err) {
    client = undefined;
    vscode.window.showErrorMessage(`gate does not start: ${err.message}. Install it, or set gate.path in your user settings.`);
  }
}

async function stop() {
  const old = client;
  client = undefined;
  if (old) {
    await old.stop();
  }
}

// askReason asks why a finding is accepted, and has the server write that down.
async function askReason(finding) {
  const reason = await vscode.window.showInputBox({
    title: `Accept ${finding.rule}`,
    prompt: 'Why is this safe here? The reason is written into the file, and counts from the commit on that has it.',
    validateInput: reasonProblem,
  });
  if (reason === undefined) {
    return; // the user has changed their mind
  }
  await execute('gate.accept', { ...finding, reason });
}

// runFile runs the file of the editor in the sandbox.
async function runFile() {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    return;
  }
  if (editor.document.isDirty && !(await editor.document.save())) {
    return;
  }
  await execute('gate.run', { uri: editor.document.uri.toString() });
}

// execute runs a command of the server. What went wrong is shown.
async function execute(command, argument) {
  if (!client) {
    vscode.window.showErrorMessage('gate: the server does not run');
    return;
  }
  try {
    await client.sendRequest('workspace/executeCommand', { command, arguments: [argument] });
  } catch (err) {
    vscode.window.showErrorMessage(`gate: ${err.message}`);
  }
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand('gate.askReason', askReason),
    vscode.commands.registerCommand('gate.runFile', runFile),
    vscode.commands.registerCommand('gate.restart', async () => { await stop(); await start(); }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
