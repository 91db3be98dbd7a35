import * as nodeModule from 'node:module';
import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { threadId } from 'node:worker_threads';

const extensions = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json'];
const esm = /^\s*(import\s*[\w{*'"]|export\b)/m;

const made = new Set(); // sources that are not as they stand in their file
if (SHARED) globalThis.gateMade = made; // for our own module that calls functions, which takes it away
let compiler;
function transpile(source, file, commonjs) {
  compiler ??= nodeModule.createRequire('/usr/local/lib/node_modules/')('typescript');
  const { ModuleKind, ScriptTarget, JsxEmit } = compiler;
  const { outputText, diagnostics } = compiler.transpileModule(source, {
    fileName: file, reportDiagnostics: true,
    compilerOptions: {
      module: commonjs ? ModuleKind.CommonJS : ModuleKind.ESNext,
      target: ScriptTarget.ES2023, inlineSourceMap: Boolean(coverage), jsx: JsxEmit.ReactJSX, esModuleInterop: true, experimentalDecorators: true,
    },
  });
  // The compiler makes something of any text; an interpreter would not.
  const wrong = diagnostics.find((d) => d.file && d.category === 1);
  if (wrong) {
    const error = new SyntaxError(compiler.flattenDiagnosticMessageText(wrong.messageText, ' '));
    const at = `${file}:${wrong.file.getLineAndCharacterOfPosition(wrong.start).line + 1}`;
    error.stack = `${at}\n\n${error}\n    at ${at}:1`;
    throw error;
  }
  return outputText;
}

// An import as TypeScript and bundlers write it: without extension, of a folder,
// or with the extension that the compiled file would have.
function* guesses(specifier) {
  for (const e of extensions) yield specifier + e;
  for (const e of extensions) yield specifier.replace(/\/?$/, '/index') + e;
  if (/\.[cm]?jsx?$/.test(specifier)) {
    yield specifier.replace(/js(x?)$/, 'ts$1');
    yield specifier.replace(/\.js$/, '.tsx');
  }
}

function resolve(specifier, context, next) {
  try {
    return next(specifier, context);
  } catch (error) {
    if (!/^(\.|\/|file:)/.test(specifier)) throw error;
    for (const guess of guesses(specifier)) {
      try {
        return next(guess, context);
      } catch {}
    }
    throw error;
  }
}

// Where lines are counted, those that were types only are no code: V8 cannot know.
const workspace = '/workspace/';
const measured = process.env.NODE_V8_COVERAGE_FILES?.split('\n').map((f) => workspace + f); // of the change, none for all
const erased = {}, coverage = process.env.NODE_V8_COVERAGE;
function noteErased(file, source, stripped) {
  if (!coverage || !file.startsWith(workspace)) return;
  if (!Object.keys(erased).length) process.on('exit', writeErased);
  const after = stripped.split('\n');
  erased[file.slice(workspace.length)] = source.split('\n').flatMap((line, i) => (line.trim() && !after[i]?.replaceAll(';', '').trim() ? [i + 1] : []));
}
function writeErased() {
  try {
    mkdirSync(coverage, { recursive: true });
    writeFileSync(`${coverage}/types-${process.pid}.json`, JSON.stringify(erased));
  } catch {}
}

// A program may have any name. Hooks make Node take it for a module, which may not.
const oddlyNamed = (file) => /\/[^/]+\.[^/]*$/.test(file) && !/\.([cm]?[jt]sx?|json|node|wasm)$/.test(file);
function loadPlain(url, context, next) {
  return next(url, url.startsWith('file:') && oddlyNamed(fileURLToPath(url)) ? { ...context, format: 'commonjs' } : context);
}

// A program of decorators is more than types.
const decorated = /^\s*@[A-Za-z_]\w*/m;

// Data as compilers and bundlers import it: also by the names of its parts.
function data(file) {
  try {
    const text = readFileSync(file, 'utf8'), all = JSON.parse(text);
    const names = Object.keys(all).filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'default');
    if (Array.isArray(all) || !names.length) return null;
    const source = `const all = JSON.parse(${JSON.stringify(text)});\nexport { all as default };\n${names.map((name, i) => `const part${i} = all.${name};\nexport { part${i} as ${name} };\n`).join('')}`;
    made.add(source.trimEnd());
    return { format: 'module', source, shortCircuit: true };
  } catch {
    return null;
  }
}

function load(url, context, next) {
  const file = url.startsWith('file:') ? fileURLToPath(url) : '';
  // Bundlers import data without saying that it is some.
  if (file.endsWith('.json') && !context.importAttributes?.type && !context.conditions?.includes('require')) return data(file) ?? next(url, { ...context, importAttributes: { type: 'json' } });
  if (oddlyNamed(file)) return next(url, { ...context, format: 'commonjs' });
  if (!/\.([cm]?ts|[jt]sx)$/.test(file) || file.includes('/node_modules/')) return next(url, context);
  const source = readFileSync(file, 'utf8');
  // What is required, and not imported, has to become CommonJS.
  const commonjs = context.conditions?.includes('require') || context.format?.startsWith('commonjs') || /\.cts$/.test(file) || !esm.test(source);
  const format = commonjs ? 'commonjs' : 'module';
  if (!/x$/.test(file) && !(commonjs && esm.test(source)) && !decorated.test(source)) {
    try {
      const stripped = nodeModule.stripTypeScriptTypes(source);
      // Letters of several bytes among the types move all that follows: of the compiler there is a map.
      if (!coverage || stripped.length === source.length) {
        noteErased(file, source, stripped);
        made.add(stripped.trimEnd());
        return { format, source: stripped, shortCircuit: true };
      }
    } catch {} // enums and the like are more than types
  }
  const translated = transpile(source, file, commonjs);
  made.add(translated.trimEnd());
  return { format, source: translated, shortCircuit: true };
}

// Where lines are counted, it is told why the process ended and at which places of the
// program: what comes behind a call that ends it did not run, and V8 cannot know.
function stopped(how, code, frames) {
  try {
    mkdirSync(coverage, { recursive: true });
    writeFileSync(`${coverage}/stopped-${process.pid}.json`, JSON.stringify({ how, code: Number(code) || 0, frames: [...frames.slice(0, 20), ...frames.slice(20).slice(-20)] }));
  } catch {}
}
// The places of a stack as text, the outermost first; on the top level of its file is what only Node itself called.
function places(stack) {
  const lines = String(stack).split('\n').filter((line) => /^\s+at /.test(line));
  return lines.flatMap((line, i) => {
    const [, name, file, number] = /^\s+at (?:(.*?) \()?(?:file:\/\/)?(\/workspace\/.*?):(\d+):\d+\)?$/.exec(line) ?? [];
    if (!file) return [];
    const top = (!name || /^(async )?Object\.<anonymous>$/.test(name)) && (!lines[i + 1] || /node:internal\/(modules|process)\/| at async /.test(lines[i + 1]));
    let path = file.slice(workspace.length);
    try {
      path = decodeURIComponent(path);
    } catch {}
    return [[path, Number(number), top]];
  }).reverse();
}
function tellEnd() {
  let uncaught = false;
  process.on('uncaughtExceptionMonitor', (error) => {
    uncaught = true;
    try {
      stopped('exception', 1, places(error?.stack));
    } catch {}
  });
  process.on('exit', (code) => {
    if (uncaught) return;
    const at = [Error.stackTraceLimit, Error.prepareStackTrace];
    try {
      [Error.stackTraceLimit, Error.prepareStackTrace] = [200, undefined];
      const frames = places(new Error().stack);
      if (frames.length) stopped('process.exit', code, frames);
    } catch {} finally {
      [Error.stackTraceLimit, Error.prepareStackTrace] = at;
    }
  });
}
if (coverage) tellEnd();

nodeModule.registerHooks?.(PLAIN ? { load: loadPlain } : { resolve, load });

// A program that was started without us in its environment, and those that it starts, find what they were given.
if (process.env.GATE_HOOKS_PUT !== undefined) {
  const had = process.env.GATE_HOOKS_PUT;
  delete process.env.GATE_HOOKS_PUT;
  if (had) process.env.NODE_OPTIONS = had.slice(1);
  else delete process.env.NODE_OPTIONS;
}
