#!/usr/local/bin/node
// Installs what lock files of npm, pnpm and Yarn name, or what manifests without one ask
// for, one folder for each project, and writes /deps/report. Nothing of a package is executed, unless /in/scripts is
// there.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const scripts = existsSync('/in/scripts');
const bun = '/deps/interpreter/bin/bun';
const at = (name) => `/usr/local/lib/managers/${name}`;
// What has no lock file is resolved as of the day of the commit, where the manager can.
const asOf = existsSync('/in/as-of') ? readFileSync('/in/as-of', 'utf8').trim() : '';
const managers = {
  'npm-manifest': (...more) => [at('npm/bin/npm-cli.js'), 'install', '--no-audit', '--no-fund', '--no-update-notifier', '--no-save', '--no-package-lock', '--cache', '/tmp/npm',
    ...(scripts ? [] : ['--ignore-scripts']), ...more],
  'pnpm-manifest': () => [at('pnpm/bin/pnpm.cjs'), 'install', '--no-frozen-lockfile', '--store-dir', '/tmp/pnpm', '--package-import-method', 'copy',
    '--config.manage-package-manager-versions=false', '--ignore-pnpmfile', ...(scripts ? [] : ['--ignore-scripts'])],
  npm: () => [at('npm/bin/npm-cli.js'), 'ci', '--no-audit', '--no-fund', '--no-update-notifier', '--cache', '/tmp/npm', ...(scripts ? [] : ['--ignore-scripts'])],
  pnpm: () => [at('pnpm/bin/pnpm.cjs'), 'install', '--frozen-lockfile', '--store-dir', '/tmp/pnpm', '--package-import-method', 'copy',
    '--config.manage-package-manager-versions=false', '--ignore-pnpmfile', ...(scripts ? [] : ['--ignore-scripts'])],
  yarn: () => [at('yarn/bin/yarn.js'), 'install', '--frozen-lockfile', '--non-interactive', '--no-default-rc', '--ignore-engines', '--cache-folder', '/tmp/yarn',
    ...(scripts ? [] : ['--ignore-scripts'])],
  'yarn-berry': () => [at('yarn-berry/bin/yarn.js'), 'install'],
  bun: () => [bun, 'install', '--frozen-lockfile', '--linker', 'hoisted', '--backend', 'copyfile', '--no-progress', '--no-summary', ...(scripts ? [] : ['--ignore-scripts'])],
};
const env = {
  ...process.env, CI: '1', YARN_NODE_LINKER: 'node-modules', YARN_ENABLE_SCRIPTS: String(scripts), YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
  YARN_ENABLE_TELEMETRY: '0', YARN_CACHE_FOLDER: '/tmp/yarn-berry', YARN_ENABLE_GLOBAL_CACHE: 'false', YARN_IGNORE_PATH: '1',
  BUN_INSTALL_CACHE_DIR: '/tmp/bun', DO_NOT_TRACK: '1',
};

// Packages of the workspace are links to folders that hold a manifest only. They
// have to lead to the code that is under test.
function relink(project, dir, folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) {
      const to = relative(project, resolve(dirname(path), readlinkSync(path)));
      if (to.split('/').includes('node_modules')) continue;
      rmSync(path);
      if (!to.startsWith('..')) symlinkSync(join('/workspace', dir, to), path);
    } else if (entry.isDirectory() && (entry.name === '.pnpm' || entry.name === 'node_modules' || entry.name.startsWith('@') || dirname(path).endsWith('/.pnpm'))) {
      relink(project, dir, path);
    }
  }
}

// The folders of node_modules outside of others: those that the code needs.
function* moduleFolders(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const path = join(folder, entry.name);
    if (entry.name === 'node_modules') yield path;
    else yield* moduleFolders(path);
  }
}

function run(cwd, [manager, ...args]) {
  const node = manager === bun ? [] : [process.execPath];
  const [program, ...all] = [...node, manager, ...args];
  const done = spawnSync(program, all, { cwd, env, encoding: 'utf8', maxBuffer: 64 << 20 });
  const output = `${done.stdout ?? ''}${done.stderr ?? ''}${done.error ?? ''}`;
  process.stdout.write(output + '\n');
  return { done, output };
}

// What an installation without a lock file came to: name@version.
function* resolved(project) {
  const npm = join(project, 'node_modules/.package-lock.json'), pnpm = join(project, 'node_modules/.pnpm');
  if (existsSync(npm)) {
    for (const [at, p] of Object.entries(JSON.parse(readFileSync(npm, 'utf8')).packages ?? {})) if (!p.link) yield `${at.split('node_modules/').at(-1)}@${p.version}`;
  } else if (existsSync(pnpm)) {
    for (const name of readdirSync(pnpm)) if (name.includes('@', 1)) yield name.replace('+', '/').replace(/[(_].*/, '');
  }
}

// An interpreter out of the registry, pinned by checksum: the first of the pinned files whose name begins so.
function interpreter(name, prefix, program) {
  const pins = readFileSync('/usr/local/lib/aigate/interpreters', 'utf8').split('\n').map((l) => l.split(/\s+/));
  const [sum, file] = pins.find(([, f]) => f?.startsWith(prefix)) ?? [];
  if (!file) throw new Error(`there is none for ${process.arch}`);
  const version = /-([\d.]+)\.tgz$/.exec(file)[1];
  mkdirSync('/tmp/interpreter', { recursive: true });
  const { done, output } = run('/tmp/interpreter', [at('npm/bin/npm-cli.js'), 'pack', `${name}@${version}`, '--cache', '/tmp/npm', '--no-update-notifier']);
  if (done.status !== 0) throw new Error(output.split('\n').filter((l) => /err/i.test(l)).slice(0, 3).join(' '));
  if (createHash('sha512').update(readFileSync(`/tmp/interpreter/${file}`)).digest('hex') !== sum) throw new Error(`${file} has another checksum than it should`);
  mkdirSync('/deps/interpreter/bin', { recursive: true });
  const unpacked = spawnSync('tar', ['-xzf', file, '--no-same-owner', '-C', '/deps/interpreter/bin', '--strip-components=2', `package/bin/${program}`], { cwd: '/tmp/interpreter', encoding: 'utf8' });
  if (unpacked.status !== 0) throw new Error(unpacked.stderr);
  return version;
}

const report = [];
function add(word, what, ...from) {
  try {
    report.push(`0\t${word}\t${interpreter(...from)}\t`);
  } catch (error) {
    report.push(`0\tnote\t\t${what}: ${error.message.replace(/\s+/g, ' ').slice(0, 300)}`);
  }
}
if (existsSync('/in/interpreter')) {
  const major = readFileSync('/in/interpreter', 'utf8').trim();
  add('interpreter', `Node ${major} is not in it, so Node ${process.versions.node} runs it`, `node-linux-${process.arch}`, `node-linux-${process.arch}-${major}.`, 'node');
}
if (existsSync('/in/bun')) {
  const build = process.arch === 'arm64' ? 'linux-aarch64' : 'linux-x64-baseline';
  add('bun', 'Bun is not in it', `@oven/bun-${build}`, `oven-bun-${build}-`, 'bun');
}
for (const line of readFileSync('/in/plan', 'utf8').split('\n').filter(Boolean)) {
  const [n, kind, dir] = line.split('\t');
  const project = `/deps/${n}`;
  cpSync(`/in/tree/${n}`, project, { recursive: true });
  let more = kind === 'npm-manifest' && asOf ? ['--before', asOf] : [];
  let { done, output } = run(project, managers[kind](...more));
  if (done.status !== 0 && more.length && /ENOVERSIONS|ETARGET|No versions available|No matching version/.test(output)) {
    report.push(`${n}\tnote\t\tresolved as of today: the registry has not all of it as of ${asOf}`);
    ({ done, output } = run(project, managers[kind](...(more = []))));
  }
  if (done.status !== 0 && kind === 'npm-manifest' && output.includes('ERESOLVE')) {
    ({ done, output } = run(project, managers[kind](...more, '--legacy-peer-deps')));
  }
  if (done.status !== 0) {
    const reason = output.split('\n').filter((l) => /err|✘|YN\d/i.test(l)).slice(0, 3).join(' ').replaceAll('\t', ' ').slice(0, 300);
    report.push(`${n}\tfailed\t\t${reason || 'it ended with ' + done.status}`);
    rmSync(project, { recursive: true, force: true });
    continue;
  }
  const folders = [...moduleFolders(project)];
  for (const folder of folders) {
    relink(project, dir, folder);
    report.push(`${n}\tmodules\t${relative(project, folder)}\t`);
  }
  if (kind.endsWith('-manifest')) for (const name of resolved(project)) report.push(`${n}\tresolved\t${name}\t`);
  report.push(`${n}\tok\t\t`);
}
writeFileSync('/deps/report', report.join('\n') + '\n');
