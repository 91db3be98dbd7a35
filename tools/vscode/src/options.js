// What the client and the server are started with.
'use strict';

// serverOptions say which program is started, by settings that a repository cannot set: the
// value of a workspace is left out, also where an editor would take it.
function serverOptions(settings) {
  return { command: trusted(settings, 'path'), args: ['lsp', ...trusted(settings, 'arguments')] };
}

// clientOptions say which texts the server gets, and what this client can do.
function clientOptions(settings) {
  return {
    documentSelector: [{ scheme: 'file' }],
    initializationOptions: { askReason: true, account: trusted(settings, 'account') },
  };
}

// trusted is a setting of the user, or its default.
function trusted(settings, name) {
  const found = settings.inspect(name);
  return found.globalValue ?? found.defaultValue;
}

// reasonProblem says what is wrong with a reason, as the server does; undefined is nothing.
function reasonProblem(reason) {
  if (reason.trim().length < 3 || !/\p{L}/u.test(reason)) {
    return 'The reason has to say something';
  }
  if (reason.includes('"')) {
    return 'The reason has no double quotes';
  }
  if (Buffer.byteLength(reason) > 300) {
    return 'The reason has at most 300 bytes';
  }
  return undefined;
}

module.exports = { serverOptions, clientOptions, reasonProblem };
