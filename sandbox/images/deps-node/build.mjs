#!/usr/local/bin/node
// Installs what lock files of npm, pnpm and Yarn name, one folder for each project,
// and writes /deps/report. Nothing of a package is executed, unless /in/scripts is
// there.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, readFileSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const scripts = existsSync('/in/scripts');
const at = (name) => `/usr/local/lib/managers/${name}`;
const managers = {
  npm: () => [at('npm/bin/npm-cli.js'), 'ci', '--no-audit', '--no-fund', '--no-update-notifier', '--cache', '/tmp/npm', ...(scripts ? [] : ['--ignore-scripts'])],
  pnpm: () => [at('pnpm/bin/pnpm.cjs'), 'install', '--frozen-lockfile', '--store-dir', '/tmp/pnpm', '--package-import-method', 'copy',
    '--config.manage-package-manager-versions=false', '--ignore-pnpmfile', ...(scripts ? [] : ['--ignore-scripts'])],
  yarn: () => [at('yarn/bin/yarn.js'), 'install', '--frozen-lockfile', '--non-interactive', '--no-default-rc', '--ignore-engines', '--cache-folder', '/tmp/yarn',
    ...(scripts ? [] : ['--ignore-scripts'])],
  'yarn-berry': () => [at('yarn-berry/bin/yarn.js'), 'install'],
};
const env = {
  ...process.env, CI: '1', YARN_NODE_LINKER: 'node-modules', YARN_ENABLE_SCRIPTS: String(scripts), YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
  YARN_ENABLE_TELEMETRY: '0', YARN_CACHE_FOLDER: '/tmp/yarn-berry', YARN_ENABLE_GLOBAL_CACHE: 'false', YARN_IGNORE_PATH: '1',
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

const report = [];
for (const line of readFileSync('/in/plan', 'utf8').split('\n').filter(Boolean)) {
  const [n, kind, dir] = line.split('\t');
  const project = `/deps/${n}`;
  cpSync(`/in/tree/${n}`, project, { recursive: true });
  const [manager, ...args] = managers[kind]();
  const done = spawnSync(process.execPath, [manager, ...args], { cwd: project, env, encoding: 'utf8', maxBuffer: 64 << 20 });
  const output = `${done.stdout ?? ''}${done.stderr ?? ''}${done.error ?? ''}`;
  process.stdout.write(output + '\n');
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
  report.push(`${n}\tok\t\t`);
}
writeFileSync('/deps/report', report.join('\n') + '\n');
