#!/usr/bin/env node
// Runs scripts of package.json and programs of node_modules as npm, npx, pnpm and Yarn do,
// under their names. It can install nothing: what is there was put there before, and there
// is no network. Build and test scripts call each other this way, and without it most of
// them end at their first line.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, join, resolve } from 'node:path';

const name = basename(process.argv[1]).replace(/\.mjs$/, '');
const words = process.argv.slice(2);
// Nested calls beyond this are a script that calls itself.
const maxDepth = 32;
const depth = Number(process.env.GATE_RUN_SCRIPT_DEPTH ?? 0) + 1;

function fail(code, text) {
  process.stderr.write(`${name}: ${text}\n`);
  process.exit(code);
}

// The nearest folder upwards with a package.json.
function packageOf(dir) {
  for (; ; dir = dirname(dir)) {
    try {
      return { dir, manifest: JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) };
    } catch (error) {
      if (error instanceof SyntaxError) fail(1, `${join(dir, 'package.json')}: ${error.message}`);
    }
    if (dir === dirname(dir)) return undefined;
  }
}

function pathFrom(dir) {
  const folders = [];
  for (; ; dir = dirname(dir)) {
    folders.push(join(dir, 'node_modules/.bin'));
    if (dir === dirname(dir)) break;
  }
  return [...folders, process.env.PATH ?? ''].join(delimiter);
}

// Runs a program and ends as it does, unless it succeeds.
function start(program, args, options) {
  const done = spawnSync(program, args, { stdio: 'inherit', ...options });
  if (done.error) fail(127, done.error.message);
  if (done.signal) process.kill(process.pid, done.signal);
  if (done.status !== 0) process.exit(done.status ?? 1);
}

function environment(dir, manifest, event) {
  return {
    ...process.env, PATH: pathFrom(dir), GATE_RUN_SCRIPT_DEPTH: String(depth), INIT_CWD: process.env.INIT_CWD ?? process.cwd(),
    npm_lifecycle_event: event, npm_package_name: manifest?.name ?? '', npm_package_version: manifest?.version ?? '', npm_package_json: join(dir, 'package.json'),
    npm_execpath: process.argv[1], npm_node_execpath: process.execPath, npm_config_user_agent: `${name.replace('npx', 'npm')}/0 node/${process.version}`,
  };
}

const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

function runScript(script, args, { optional, at }) {
  const found = packageOf(at);
  const scripts = found?.manifest.scripts ?? {};
  if (typeof scripts[script] !== 'string') {
    if (optional) return;
    fail(1, `there is no script "${script}" in package.json`);
  }
  if (depth > maxDepth) fail(1, `"${script}" calls itself`);
  for (const event of [`pre${script}`, script, `post${script}`]) {
    if (typeof scripts[event] !== 'string') continue;
    const line = event === script ? [scripts[event], ...args.map(quoted)].join(' ') : scripts[event];
    start('sh', ['-c', line], { cwd: found.dir, env: environment(found.dir, found.manifest, event) });
  }
}

function runProgram([program, ...args], at) {
  if (!program) fail(1, 'no program is named');
  const bare = program.replace(/(?<=.)@[^@/]*$/, '');
  const here = packageOf(at);
  const path = pathFrom(here?.dir ?? at);
  const there = bare.includes('/') && !bare.startsWith('@') ? true : path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, basename(bare)), constants.X_OK);
      return statSync(join(folder, basename(bare))).isFile();
    } catch {
      return false;
    }
  });
  if (!there || basename(bare) === name) fail(127, `${program}: not found; nothing is installed here`);
  start(bare.startsWith('@') ? basename(bare) : bare, args, { cwd: at, env: environment(here?.dir ?? at, here?.manifest, 'npx') });
}

// Options in front of the command; of those with a value, the value.
const withValue = ['--prefix', '-C', '--dir', '--cwd', '--loglevel', '-p', '--package', '--userconfig', '--registry', '--reporter'];
let at = process.cwd();
let optional = false;
function options(list) {
  while (list[0]?.startsWith('-') && list[0] !== '--') {
    const [option, value] = list[0].split(/=(.*)/s);
    list.shift();
    const given = withValue.includes(option) ? (value ?? list.shift()) : value;
    if (['--prefix', '-C', '--dir', '--cwd'].includes(option) && given) at = resolve(at, given);
    if (option === '--if-present') optional = true;
    if (['-v', '--version'].includes(option) && !list.length) {
      process.stdout.write('0.0.0\n');
      process.exit(0);
    }
    if (['-c', '--call'].includes(option) && name === 'npx') {
      start('sh', ['-c', given ?? list.shift() ?? ''], { cwd: at, env: environment(at, undefined, 'npx') });
      process.exit(0);
    }
    if (['-r', '--recursive', '-w', '--workspace', '--workspaces', '-ws', '--filter', '-F'].includes(option)) fail(1, `${option}: packages of a workspace are not gone through here`);
  }
  if (list[0] === '--') list.shift();
  return list;
}

const rest = options([...words]);
const command = name === 'npx' || name === 'pnpx' ? 'exec' : (rest.shift() ?? 'install');
const scriptOf = { t: 'test', tst: 'test', test: 'test', start: 'start', stop: 'stop', restart: 'restart' };
const nothing = ['audit', 'fund', 'outdated', 'dedupe', 'prune', 'rebuild', 'config', 'set', 'doctor', 'check'];

// Arguments for a script: npm wants -- in front of them, others do not.
function split(list) {
  options(list);
  const script = list.shift();
  const args = [];
  while (list.length) {
    const word = list.shift();
    if (word === '--') return { script, args: [...args, ...list] };
    if (word === '--if-present') optional = true;
    else if (name !== 'npm' || !word.startsWith('-')) args.push(word);
  }
  return { script, args };
}

if (['run', 'run-script', 'rum', 'urn'].includes(command)) {
  const { script, args } = split(rest);
  if (!script) process.exit(0);
  runScript(script, args, { optional, at });
} else if (scriptOf[command]) {
  const { args } = split(['', ...rest]);
  runScript(scriptOf[command], args, { optional, at });
} else if (['exec', 'x', 'dlx'].includes(command)) {
  runProgram(options(rest), at);
} else if (['install', 'i', 'ci', 'add', 'link', 'isntall'].includes(command)) {
  const named = rest.filter((word) => !word.startsWith('-'));
  if (named.length) fail(1, `${named.join(' ')}: nothing is installed here, and there is no network`);
  process.stderr.write(`${name}: nothing is installed here; what the base asks for is there\n`);
} else if (nothing.includes(command)) {
  process.stderr.write(`${name}: ${command}: there is no network here\n`);
} else if (name !== 'npm' && typeof packageOf(at)?.manifest.scripts?.[command] === 'string') {
  runScript(command, rest, { optional, at });
} else if (name !== 'npm') {
  runProgram([command, ...rest], at);
} else {
  fail(1, `${command}: there is only what runs scripts here: npm run, npm test, npm exec`);
}
