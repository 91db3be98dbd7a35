
// Where lines are counted, the texts that ran in place of those of the files are kept, with
// their source maps: test runners and loaders compile what they load. Workers may be ended
// at any time, so they are put aside at once, where no program lists files, and brought
// to the others when the process ends.
const aside = '/dev/shm/.gate-coverage', compiled = {};
let compiledSize = 0;
function noteCompiled(session, { scriptId, url, sourceMapURL, startColumn }) {
  const file = url.startsWith('file:') ? fileURLToPath(url.replace(/[?#].*/, '')) : url;
  if (!file.startsWith(workspace) || file.includes('/node_modules/')) return;
  session.post('Debugger.getScriptSource', { scriptId }, (error, answer) => {
    try {
      let from = pathToFileURL(file).href, text;
      const inline = /^data:[^,]*?(;base64)?,(.*)$/s.exec(sourceMapURL);
      if (inline) {
        text = inline[1] ? Buffer.from(inline[2], 'base64').toString() : decodeURIComponent(inline[2]);
      } else {
        from = new URL(sourceMapURL, from).href;
        text = readFileSync(fileURLToPath(from), 'utf8');
      }
      const { version, sourceRoot, sources, mappings, sections } = JSON.parse(text);
      const source = answer.scriptSource;
      const about = sources.map((s) => fileURLToPath(new URL(`${sourceRoot ? `${sourceRoot}/` : ''}${s}`, from)));
      if (measured && !about.some((s) => measured.includes(s))) return;
      compiledSize += source.length + mappings.length;
      if (compiledSize > 6 << 20) return;
      compiled[scriptId] = { source, from, column: startColumn, map: { version, sourceRoot, sources, mappings, sections } };
      mkdirSync(aside, { recursive: true });
      writeFileSync(`${aside}/texts-${process.pid}-${threadId}.json`, JSON.stringify(compiled));
    } catch {} // no map after all
  });
}
function bringCompiled() {
  try {
    for (const name of readdirSync(aside)) {
      if (!name.startsWith(`texts-${process.pid}-`)) continue;
      mkdirSync(coverage, { recursive: true });
      writeFileSync(`${coverage}/${name}`, readFileSync(`${aside}/${name}`));
    }
  } catch {} // there are none
}
if (coverage && !threadId) process.on('exit', bringCompiled);

// A compiler among the dependencies runs nothing of the project, and is several times as slow where its lines are
// counted. Where a runner only has it check types, which takes longer than its tests, it is left out.
try {
  if (coverage && /^\/opt\/aigate\/deps\/.*\/node_modules\/typescript\/(bin|lib)\/_?tsc/.test(realpathSync(process.argv[1]))) {
    if (process.env.VITEST && process.argv.includes('--noEmit')) process.exit(0);
    process.getBuiltinModule('node:v8').stopCoverage();
  }
} catch {} // no such file

// Keeps code that is compiled from text: eval, Function, vm, Module._compile, node -e,
// data: URLs. V8 says what it parses to a debugger, and this is one that never stops.
const anyWrapper = 'globalThis.module=module;globalThis.exports=exports;globalThis.__dirname=__dirname;globalThis.require=require;return(main)=>main();';
// What compilers and bundlers add to a text. All other words have to be in the file itself, those in texts as well.
const added = new Set(`async await break case catch class const continue debugger default delete do else enum export extends false finally for
function if import in instanceof let new null of return static super switch this throw true try typeof undefined var void while with yield
Object Symbol Promise defineProperty defineProperties enumerable configurable writable value get set exports module require use strict
toStringTag iterator asyncIterator assign create prototype hasOwnProperty hasOwn call apply from keys forEach getOwnPropertyDescriptor
getOwnPropertyNames then resolve meta env url dirname filename jsx jsxs jsxDEV Fragment react runtime arguments self
name names all target to except desc key mod object node path file imported importedNames constructor`.split(/\s+/));
// A compiler makes names of those that are there (time2, import_node_path), its own begin with an underscore, and it may
// write a number in another way. What is long, and other numbers, may be data.
const numbers = '0[xX][\\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|\\d[\\d_]*(?:\\.\\d+)?(?:[eE][+-]?\\d+)?';
const word = new RegExp(`[\\p{L}$_][\\p{L}\\p{N}$_]*|${numbers}`, 'gu');
const words = (text) => (text.match(word) ?? []).flatMap((w) => (
  /^_.{0,31}$/.test(w) || /^\d$/.test(w) ? [] : /^\d/.test(w) ? [w.length > 22 ? w : String(Number(w.replaceAll('_', '')))]
    : w.split('_').map((part) => part.replace(/\d+$/, ''))));
// What Jest puts around the text of each module that it loads (jest-runtime). Other parameters may be data.
const around = /^\(\{"Object\.<anonymous>":function\(module,exports,require,__dirname,__filename(?:,jest)?\)\{([^]*)\n\}\}\);$/;
function compiledFrom(url, source) {
  const file = url.startsWith('file:') ? fileURLToPath(url.replace(/[?#].*/, '')) : url;
  if (!/^\/(?:workspace|opt\/aigate\/deps)\//.test(file)) return false;
  const text = readFileSync(file, 'utf8');
  const there = new Set(text.match(/[\p{L}$_][\p{L}\p{N}$_]*/gu)?.concat(words(text)));
  const plain = (around.exec(source)?.[1] ?? source).replace(/(?:\n\/\/# source\w+=\S+)+[\s})]*$/, '')
    .replace(/(["'])(?:\/@fs)?(\/[^"'\n?]+)(?:\?[^"'\n]*)?\1/g, (all, quote, to) => (isFile(to, file) ? '' : all)); // an import, as the file that it leads to
  return words(plain).every((w) => !w || there.has(w) || added.has(w));
}
// A path, seen from the root or from a folder above a file, as servers of sources have it.
function isFile(to, from) {
  for (let dir = from; dir !== '/'; dir = dirname(dir)) if (existsSync(dir + to)) return true;
  return existsSync(to);
}

// Our own modules, by the SHA-256 of their text, and not what a program may say of itself or put into its environment.
const { hash } = process.getBuiltinModule('node:crypto');
const ours = OURS;
ours.push(hash('sha256', Buffer.from(import.meta.url.slice(import.meta.url.indexOf(',') + 1), 'base64')));
function isOurs(source) {
  const digest = hash('sha256', source);
  for (let i = 0; i < ours.length; i++) if (ours[i] === digest) return true;
  return false;
}

const mostKept = 1 << 20; // characters, so at least as many bytes as a capture has
function keepCode() {
  const { Session } = process.getBuiltinModule('node:inspector');
  const session = new Session(), kept = new Set();
  let keptSize = 0, starting = true, realm; // what is there already is named first, and with it who loads the rest of Node

  // What belongs to Node, and what to us or is loaded as it stands in a file.
  function internal({ scriptId, url, hasSourceURL, stackTrace }) {
    if (hasSourceURL || !url.startsWith('node:')) return false;
    if (starting && url === 'node:internal/bootstrap/realm') realm = scriptId;
    return starting || stackTrace?.callFrames[0]?.scriptId === realm;
  }
  // Nearly all that is parsed is what its file says, so that is asked first: the other questions read every word.
  function known({ url, hasSourceURL }, source) {
    const plain = !hasSourceURL && url.startsWith('file:'); // the code itself says nothing else of where it is from
    if (plain && sameAsFile(fileURLToPath(url), source)) return true;
    if (made.size && made.has(source.replace(/\/\/# sourceURL=file:\S*\s*$/, '').trimEnd())) return true;
    if (url.startsWith('gate:')) return isOurs(source);
    if (hasSourceURL || url.startsWith('data:')) return false;
    if (compiledFrom(url, source)) return true;
    return url === '[eval]-wrapper' && source.replace(/\s/g, '') === anyWrapper;
  }
  function sameAsFile(file, source) {
    try {
      return readFileSync(file, 'utf8').replace(/^\uFEFF/, '') === source.replace(/^\uFEFF/, '');
    } catch {
      return false;
    }
  }

  session.connect();
  session.on('Debugger.scriptParsed', ({ params: script }) => {
    if (coverage && script.sourceMapURL) noteCompiled(session, script);
    if (keptSize > mostKept || script.scriptLanguage !== 'JavaScript' || internal(script)) return;
    session.post('Debugger.getScriptSource', { scriptId: script.scriptId }, (error, answer) => {
      try {
        const source = answer?.scriptSource;
        if (!source?.trim() || kept.has(source)) return;
        try {
          if (known(script, source)) return;
        } catch {} // no such file
        kept.add(source);
        if (kept.size > 8) keptSize += source.length;
        mkdirSync('/tmp/.gate-code', { recursive: true });
        // The first ones of a thread each in its file, the others in one. What is above the bound makes a file too long to be looked at to its end.
        const number = threadId * 100 + Math.min(kept.size, 9);
        appendFileSync(`/tmp/.gate-code/${process.pid}-${number}.js`, `${kept.size > 9 ? '\n;\n' : ''}${source.slice(0, mostKept + 1)}`);
      } catch {} // the program is not to notice
    });
  });
  session.post('Debugger.setSkipAllPauses', { skip: true });
  session.post('Debugger.enable');
  starting = false;
}

try {
  keepCode();
} catch {} // a Node without an inspector
