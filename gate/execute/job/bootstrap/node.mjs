import * as nodeModule from 'node:module';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const extensions = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json'];
const esm = /^\s*(import\s*[\w{*'"]|export\b)/m;

const made = new Set(); // sources that are not as they stand in their file
let compiler;
function transpile(source, file, commonjs) {
  compiler ??= nodeModule.createRequire('/usr/local/lib/node_modules/')('typescript');
  const { ModuleKind, ScriptTarget, JsxEmit } = compiler;
  return compiler.transpileModule(source, {
    fileName: file,
    compilerOptions: {
      module: commonjs ? ModuleKind.CommonJS : ModuleKind.ESNext,
      target: ScriptTarget.ES2023, jsx: JsxEmit.ReactJSX, esModuleInterop: true, experimentalDecorators: true,
    },
  }).outputText;
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
const erased = {}, coverage = process.env.NODE_V8_COVERAGE;
function noteErased(file, source, stripped) {
  if (!coverage || !file.startsWith('/workspace/')) return;
  if (!Object.keys(erased).length) process.on('exit', writeErased);
  const after = stripped.split('\n');
  erased[file.slice('/workspace/'.length)] = source.length === stripped.length
    ? source.split('\n').flatMap((line, i) => (line.trim() && !after[i]?.replaceAll(';', '').trim() ? [i + 1] : []))
    : undefined;
}
function writeErased() {
  try {
    mkdirSync(coverage, { recursive: true });
    writeFileSync(`${coverage}/types-${process.pid}.json`, JSON.stringify(erased));
  } catch {}
}

function load(url, context, next) {
  const file = url.startsWith('file:') ? fileURLToPath(url) : '';
  if (!/\.([cm]?ts|[jt]sx)$/.test(file) || file.includes('/node_modules/')) return next(url, context);
  const source = readFileSync(file, 'utf8');
  // What is required, and not imported, has to become CommonJS.
  const commonjs = context.conditions?.includes('require') || context.format?.startsWith('commonjs') || /\.cts$/.test(file) || !esm.test(source);
  const format = commonjs ? 'commonjs' : 'module';
  if (!/x$/.test(file) && !(commonjs && esm.test(source))) {
    try {
      const stripped = nodeModule.stripTypeScriptTypes(source);
      noteErased(file, source, stripped);
      made.add(stripped.trimEnd());
      return { format, source: stripped, shortCircuit: true };
    } catch {} // enums and the like are more than types
  }
  const translated = transpile(source, file, commonjs);
  made.add(translated.trimEnd());
  return { format, source: translated, shortCircuit: true };
}

nodeModule.registerHooks?.({ resolve, load });
