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

// What npm says of a package that the registry has not, or not in that version.
const absent = [
  [/No matching version found for (?<name>@?[^@\s]+)@(?<asked>.*?)\.?(?:\s|$)/, 'no version'],
  [/['"]?(?<name>@?[\w./-]+)@(?<asked>[^\s'"]*)['"]? is not in this registry/, 'nothing'],
  // What another package takes from a repository: the registry's package of that name is all there is.
  [/Refusing to fetch "(?<name>@?[^@"\s]+)@(?<asked>[^"]*)"/, 'no version'],
  [/404\s+Not Found - GET \S+?\/(?<name>(?:@[\w.-]+(?:%2f|\/))?[\w.-]+)(?=\s|$)/i, 'nothing'],
];
const groups = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];

// Edits what the manifests of a project ask of a package, so that one package which the
// registry has not, often a linter, does not keep all others away: of any version, or not
// at all. What only another package asks for is overridden. Says whether there was anything
// to edit.
function relax(project, name, found) {
  let edited = false;
  for (const file of manifests(project)) {
    const manifest = JSON.parse(readFileSync(file, 'utf8'));
    let here = false;
    for (const group of groups) {
      const asked = manifest[group]?.[name];
      if (asked === undefined) continue;
      if (found === 'no version' && asked !== '*') manifest[group][name] = '*';
      else delete manifest[group][name];
      here = true;
    }
    if (here) writeFileSync(file, JSON.stringify(manifest));
    edited ||= here;
  }
  if (edited || found !== 'no version') return edited;
  const root = join(project, 'package.json');
  const manifest = JSON.parse(readFileSync(root, 'utf8'));
  if (manifest.overrides?.[name]) return false;
  manifest.overrides = { ...manifest.overrides, [name]: '>=0' }; // to npm, '*' overrides nothing
  writeFileSync(root, JSON.stringify(manifest));
  return true;
}

// The manifests of a project and of the packages of its workspace.
function* manifests(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile() && entry.name === 'package.json') yield join(folder, entry.name);
    else if (entry.isDirectory() && entry.name !== 'node_modules') yield* manifests(join(folder, entry.name));
  }
}

// Installs what manifests ask for, without what the registry has not.
function installFrom(project, n, kind, more) {
  const maxAbsent = 12; // packages; each costs a resolution
  let peers = [];
  for (let left = maxAbsent; ; left--) {
    const { done, output } = run(project, managers[kind](...more, ...peers));
    if (done.status === 0 || kind !== 'npm-manifest' || left === 0) return { done, output };
    if (output.includes('ERESOLVE') && !peers.length) {
      peers = ['--legacy-peer-deps'];
      continue;
    }
    const { name, asked, found } = absent.map(([r, found]) => ({ ...r.exec(output)?.groups, found })).find(({ name }) => name) ?? {};
    if (!name) return { done, output };
    const plain = name.replace(/%2f/i, '/');
    if (!relax(project, plain, found)) return { done, output };
    report.push(`${n}\tnote\t\t${plain}${asked ? '@' + asked : ''}: the registry has not got it; ${found === 'no version' ? 'another version is taken' : 'it is left out'}`.replace(/[\r\n]/g, ' '));
  }
}

for (const line of readFileSync('/in/plan', 'utf8').split('\n').filter(Boolean)) {
  const [n, kind, dir] = line.split('\t');
  const project = `/deps/${n}`;
  cpSync(`/in/tree/${n}`, project, { recursive: true });
  const before = kind === 'npm-manifest' && asOf ? ['--before', asOf] : [];
  let { done, output } = run(project, managers[kind](...before));
  if (done.status !== 0 && before.length && /ENOVERSIONS|ETARGET|No versions available|No matching version/.test(output)) {
    report.push(`${n}\tnote\t\tresolved as of today: the registry has not all of it as of ${asOf}`);
    ({ done, output } = installFrom(project, n, kind, []));
  } else if (done.status !== 0 && kind === 'npm-manifest') {
    ({ done, output } = installFrom(project, n, kind, before));
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
