// Imports a module and calls functions, each for a short time: those that the change touches with arguments that are
// made up, and what else it exports and wants none.
import * as nodeModule from 'node:module';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';

const [address, told] = process.argv.splice(1, 2);
const settings = JSON.parse(told), touched = settings.touched ?? {}, force = settings.force ?? {};
const made = globalThis.gateMade ?? new Set(); // what is compiled and no news
delete globalThis.gateMade;
const GIVEN = 'gate-given'; // is in every value that we make up: what such a value names is not the program's choice
const ASKED = 'gate-asked'; // is in what a request brings: a program that runs it executes untrusted input
const workspace = '/workspace/', now = performance.now.bind(performance); // the module may set another clock
let last = 0;
const soon = (ms) => new Promise((done) => setTimeout(done, ms));

// A value of which nothing is known: it can be called, asked, counted, gone through and joined. What it is compared with
// is noted: a condition tells what it waits for.
const givens = new WeakMap(), wanted = new Set(), here = hostname(); // no program waits for a name of this machine that it does not know
function note(value) {
  if (typeof value === 'string' && value && value.length < 80 && wanted.size < 40 && value !== here && !/gate-(given|asked)/.test(value)) wanted.add(value);
}
function given(mark = GIVEN, number = 3) {
  const set = new Map(), more = () => given(mark, number);
  const out = new Proxy(function () {}, {
    apply: more, construct: more, has: () => true,
    set: (_, key, value) => Boolean(set.set(key, value)),
    get(_, key) {
      if (set.has(key)) return set.get(key);
      if (key === 'then') return undefined;
      if (key === Symbol.toPrimitive) return (hint) => (hint === 'number' ? number : mark);
      if (key === Symbol.iterator) return function* () { yield more(); };
      if (key === Symbol.asyncIterator) return async function* () { yield more(); };
      if (key === 'length' || key === 'size') return number === 3 ? 1 : number;
      if (key === 'toJSON') return () => mark;
      if (typeof key === 'symbol') return undefined;
      if (['includes', 'startsWith', 'endsWith', 'indexOf'].includes(key)) return (...of) => (note(of[0]), mark[key](...of));
      if (typeof String.prototype[key] === 'function') return String.prototype[key].bind(mark);
      if (typeof Array.prototype[key] === 'function') return Array.prototype[key].bind([more()]);
      return mark === GIVEN && number === 3 ? named(key, more) : more();
    },
  });
  givens.set(out, { mark, number });
  return out;
}
// Comparisons of the program: a made-up value is equal to the text or the number that it stands for.
const unclear = (value) => givens.has(value) || typeof value === 'string' && /gate-(given|asked)/.test(value);
const stands = (value, other) => (givens.has(value) ? givens.get(value)[typeof other === 'number' ? 'number' : 'mark'] : value);
globalThis.__gateSame__ = (a, b, strict) => {
  if (unclear(a)) note(b);
  if (unclear(b)) note(a);
  if (givens.has(a) !== givens.has(b)) return stands(a, b) === stands(b, a);
  return strict ? a === b : a == b;
};
globalThis.__gatePlain__ = (value) => stands(value);

const place = `/tmp/${GIVEN}`;
function lay() {
  mkdirSync(`${place}/folder`, { recursive: true });
  mkdirSync(ASKED, { recursive: true }); // a request may name where a command runs
  for (const name of ['file.txt', 'folder/one.txt', 'folder/two.txt']) writeFileSync(`${place}/${name}`, GIVEN + '\n');
}
const kinds = [
  [/(dir|directory|folder|dest|destination|root|tree|cwd)$/i, () => `${place}/folder`],
  [/(path|file|filename|source|target|output|input|archive)$/i, () => `${place}/file.txt`],
  [/url|uri$|endpoint|webhook|link$/i, () => `http://${GIVEN}.example/`],
  [/email|recipient/i, () => `${GIVEN}@${GIVEN}.example`],
  [/host|server|domain|addr/i, () => `${GIVEN}.example`],
  [/^port$|Port$/, () => 8080],
  [/^(is|has|should|can|use|with|allow|enable)[A-Z_]|enabled?$|^verbose$|^force$|confirm|strict|flag/, () => true],
  [/^dry/i, () => false],
  [/^(count|num|n|i|j|k|x|y|size|limit|amount|total|price|cents|cost|index|idx|days|hours|minutes|seconds|ms|timeout|retries|attempts?|age|quantity|qty|width|height|depth|level|rate|balance|weight|score|step|offset|page|max|min|interval|fee)$|(Count|Size|Limit|Amount|Total|Index|Days|Ms|Cents)$/, () => 3],
  [/^(now|when|today|date|at)$|Date$|At$/, () => new Date()],
  [/^_?(req|request|ctx|socket|ws|interaction|update)$/, () => given(ASKED)],
  [/^(cb|callback|fn|func|done|next|handler|on[A-Z]\w*|resolve|reject)$/, () => () => given()],
  [/(items|lines|rows|records|entries|values|users|list|jobs|events|messages|argv|args)$/i, () => [given()]],
];
function named(name, other = given) {
  const kind = kinds.find(([pattern]) => pattern.test(name));
  return kind ? kind[1]() : other();
}
function typed(name, type) {
  type = type.replace(/\s*\|\s*(undefined|null)\b/g, '').trim();
  if (/^string$/.test(type)) {
    const value = named(name, () => GIVEN);
    return typeof value === 'string' ? value : GIVEN;
  }
  if (/^(unknown|any)$/.test(type)) return named(name, () => `${GIVEN} and more of it`);
  if (/^(number|bigint)$/.test(type)) return 3;
  if (type === 'boolean') return !/^dry/i.test(name);
  if (type === 'Date') return new Date();
  if (/^(Buffer|Uint8Array)/.test(type)) return Buffer.from(GIVEN);
  if (/^['"]/.test(type)) return /^(['"])(.*?)\1/.exec(type)[2];
  if (/\[\]$|^(Readonly)?Array</.test(type)) return [typed(name.replace(/s$/, ''), type.replace(/\[\]$|^(?:Readonly)?Array<(.*)>$/, '$1'))];
  if (/=>/.test(type)) return () => given();
  return named(name);
}

// The compiler reads what is loaded: each function that lines of the change stand in is kept as it is made, and those
// conditions are taken as met that kept lines from running.
const kept = [];
globalThis.__gateKeep__ = (f, name, params, uses, lines, method) => {
  if (kept.length < 2000) kept.push({ f, name, params, uses, lines, method });
  return f;
};
// Conditions are answered all as they were preset, or those of one way to some lines, and the others as they are. A turn
// takes that value of each table.
const ways = [], plan = { way: null, turn: null, most: 0, loops: 0 }, turns = new Map();
function begin(way = null, turn = null) { Object.assign(plan, { way, turn, most: 0, loops: 0 }); }
globalThis.__gateAnswer__ = (key, preset, real, again) => {
  const answer = plan.way ? plan.way.way[key] : preset;
  return answer === undefined || answer === null ? real : answer && (!again || ++plan.loops < 1000);
};
globalThis.__gateTurn__ = (key, of, real) => {
  if (plan.way) return plan.way.way[key] === undefined ? real : of[plan.way.way[key]]();
  const turn = turns.get(key) ?? 0;
  turns.set(key, turn + 1);
  return of[turn % of.length]();
};
globalThis.__gateFail__ = (key) => { if (!plan.way || plan.way.way[key]) throw new Error(GIVEN); };
globalThis.__gatePick__ = (table, of, once) => {
  const values = table instanceof Map ? [...table.values()] : typeof table === 'object' && table ? Object.values(table) : [];
  if (!values.length || values.length > 50 || values.some((v) => typeof v === 'number')) return of();
  if (once) return values.find((v) => v && v !== of()) ?? of();
  plan.most = Math.max(plan.most, values.length);
  const value = plan.turn === null ? of() : values[plan.turn % values.length];
  return typeof value === 'function' ? value.bind(table) : value;
};
// Both answers of a condition in an expression, in turn: each of three neighbours has its own.
globalThis.__gateEither__ = (at, test) => {
  plan.most = Math.max(plan.most, 2 << at % 3);
  return plan.turn === null ? test() : !((plan.turn >> at % 3) & 1);
};
globalThis.__gateSome__ = (of) => {
  const all = Array.isArray(of) || of instanceof Set || of instanceof Map ? [...of] : of;
  return all === undefined || all === null || all.length === 0 ? [given()] : all;
};

// Files for a browser find a page, whose ways out are those of Node.
function page() {
  const away = (to, body) => void fetch(String(to), body === undefined ? {} : { method: 'POST', body: String(body) }).catch(() => {});
  globalThis.document ??= given();
  globalThis.window ??= globalThis;
  globalThis.location ??= new URL(`https://${GIVEN}.example/`);
  globalThis.localStorage ??= given();
  globalThis.sessionStorage ??= given();
  globalThis.addEventListener ??= () => {};
  globalThis.Image ??= class { set src(to) { away(to); } };
  globalThis.XMLHttpRequest ??= class { open(_, to) { this.to = to; } setRequestHeader() {} send(body) { away(this.to, body ?? ''); } };
  globalThis.FormData = class extends FormData { constructor() { super(); this.set(GIVEN, GIVEN); } };
  if (globalThis.navigator) navigator.sendBeacon = (to, body) => { away(to, body); return true; };
}
const compiler = nodeModule.createRequire('/usr/local/lib/node_modules/')('typescript');
const { factory, SyntaxKind, ModuleKind, ScriptTarget, JsxEmit } = compiler;

function edit(file) {
  let own = touched[file] === undefined ? [] : [...touched[file] ?? [[1, 1e9]]], missed = new Set((force[file] ?? []).flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => from + i)));
  return (context) => (source) => {
    const line = (at) => source.getLineAndCharacterOfPosition(at).line + 1;
    const from = (node) => line(node.getStart(source)), to = (node) => line(node.getEnd());
    const touches = (node) => node.pos >= 0 && own.some(([begin, end]) => begin <= to(node) && from(node) <= end);
    const misses = (node) => Boolean(node) && node.pos >= 0 && missed.has(from(compiler.isBlock(node) && node.statements.length ? node.statements[0] : node));
    const leaves = (node) => {
      const end = compiler.isBlock(node) ? node.statements.at(-1) : node;
      return end && (compiler.isReturnStatement(end) || compiler.isThrowStatement(end) || compiler.isContinueStatement(end) || compiler.isBreakStatement(end));
    };
    const text = (t) => factory.createStringLiteral(t);
    // What a function names: its own constants, those of its module, the keys of tables, and those of functions that it calls.
    const constants = (node, out = new Set(), seen = new Set(), depth = 0) => {
      if ((compiler.isStringLiteral(node) || compiler.isNoSubstitutionTemplateLiteral(node)) && node.text && node.text.length < 80) out.add(node.text);
      if (compiler.isNumericLiteral(node)) out.add(Number(node.text));
      if (compiler.isPropertyAssignment(node) && depth && compiler.isIdentifier(node.name)) out.add(node.name.text);
      if (compiler.isMethodDeclaration(node) && depth && compiler.isObjectLiteralExpression(node.parent) && compiler.isIdentifier(node.name)) return out.add(node.name.text);
      const meant = compiler.isIdentifier(node) && depth < 3 ? tops().get(node.text) : undefined;
      if (meant && meant !== node && !seen.has(meant)) constants(meant, out, seen.add(meant), depth + 1);
      compiler.forEachChild(node, (n) => void constants(n, out, seen, depth));
      return out;
    };
    let known;
    const tops = () => {
      if (known) return known;
      known = new Map();
      for (const s of source.statements) {
        if (compiler.isFunctionDeclaration(s) && s.name && s.body) known.set(s.name.text, s.body);
        if (!compiler.isVariableStatement(s)) continue;
        for (const { name, initializer: of } of s.declarationList.declarations) if (compiler.isIdentifier(name) && of && !compiler.isCallExpression(of)) known.set(name.text, compiler.isNewExpression(of) ? of.arguments?.[0] ?? of : of);
      }
      return known;
    };
    const about = (f, name) => [
      text(name), factory.createArrayLiteralExpression(f.parameters.map((p) => text(`${p.name.getText(source)}:${p.type?.getText(source) ?? ''}${p.initializer ? '=' : ''}`))),
      factory.createArrayLiteralExpression([...constants(f)].slice(0, 30).map((c) => (typeof c === 'string' ? text(c) : c < 0 ? text('') : factory.createNumericLiteral(c)))),
      factory.createArrayLiteralExpression([factory.createNumericLiteral(from(f)), factory.createNumericLiteral(to(f))]),
    ];
    const keep = (value, f, name, ...more) => factory.createCallExpression(factory.createPropertyAccessExpression(factory.createIdentifier('globalThis'), '__gateKeep__'), undefined, [value, ...about(f, name), ...more]);
    const helped = (name, ...args) => factory.createCallExpression(factory.createPropertyAccessExpression(factory.createIdentifier('globalThis'), name), undefined, args);
    // What a condition asks may fail: (() => { try { return test } catch {} })()
    const tried = (test) => (compiler.isIdentifier(test) || !hasAwait(test) ? attempt(test) : test);
    const hasAwait = (n) => compiler.isAwaitExpression(n) || compiler.isYieldExpression?.(n) || Boolean(compiler.forEachChild(n, (c) => hasAwait(c) || undefined));
    const attempt = (test) => factory.createCallExpression(factory.createParenthesizedExpression(factory.createArrowFunction(undefined, undefined, [], undefined, undefined, factory.createBlock([
      factory.createTryStatement(factory.createBlock([factory.createReturnStatement(test)]), factory.createCatchClause(undefined, factory.createBlock([])), undefined)]))), undefined, []);
    const key = (node) => `${file}:${node.getStart(source)}`;
    const preset = new Map(), asked = new Set();
    const truth = (yes) => (yes === undefined ? factory.createNull() : yes ? factory.createTrue() : factory.createFalse());
    const answer = (node, test, again) => (asked.has(key(node)) ? helped('__gateAnswer__', text(key(node)), truth(preset.get(key(node))), tried(test), truth(again)) : test);

    // Which items of a loop are meant is no condition on the world: names of items, and what is made of them.
    const chosen = new Map();
    const named = (node, out = new Set()) => {
      if (compiler.isIdentifier(node)) out.add(node.text);
      compiler.forEachChild(node, (n) => void named(n, out));
      return out;
    };
    const meets = (a, b) => [...a].some((x) => b.has(x));
    const find = (node, items) => {
      if (compiler.isForOfStatement(node) || compiler.isForInStatement(node)) {
        items = new Set([...items, ...named(node.initializer)]);
        const made = (n) => {
          if (compiler.isVariableDeclaration(n) && n.initializer && meets(named(n.initializer), items)) named(n.name, items);
          compiler.forEachChild(n, made);
        };
        made(node.statement);
      }
      if ((compiler.isIfStatement(node) || compiler.isWhileStatement(node)) && meets(named(node.expression), items)) {
        const body = node.thenStatement ?? node.statement;
        if (leaves(body) || meets(named(body), items) || node.elseStatement && meets(named(node.elseStatement), items)) chosen.set(node, true);
      }
      compiler.forEachChild(node, (n) => find(n, items));
    };
    // By which answers lines are reached that did not run: all of them at once, and those of single ways.
    const answered = (way, node, yes) => ({ ...way, [key(node)]: yes });
    const missing = (s) => s.caseBlock.clauses.filter((c) => c.statements.length && misses(c.statements[0]));
    function walk(node, way, next) {
      if (compiler.isBlock(node) || compiler.isSourceFile(node) || compiler.isCaseClause(node) || compiler.isDefaultClause(node)) {
        node.statements.forEach((s, i) => { way = walk(s, way, node.statements[i + 1]); });
        return way;
      }
      if (compiler.isStatement(node) && missed.has(from(node)) && !leaves(node) && Object.keys(way).length && ways.length < 200 && !ways.some((w) => w.way === way)) {
        ways.push({ way, lines: Object.keys(way).map((k) => line(Number(k.slice(file.length + 1)))) });
        for (const k of Object.keys(way)) asked.add(k);
      }
      if (compiler.isIfStatement(node)) {
        const { thenStatement: yes, elseStatement: no } = node, free = !chosen.has(node);
        if (free && misses(yes)) preset.set(key(node), true);
        else if (free && (misses(no) || leaves(yes) && misses(next) || no && compiler.isIfStatement(no) && missed.has(from(no)))) preset.set(key(node), false);
        walk(yes, free ? answered(way, node, true) : way);
        if (no) walk(no, free ? answered(way, node, false) : way);
        if (!free || Boolean(leaves(yes)) === Boolean(no && leaves(no))) return way;
        return answered(way, node, !leaves(yes));
      }
      if (compiler.isWhileStatement(node)) {
        if (misses(node.statement) && !chosen.has(node)) preset.set(key(node), true);
        walk(node.statement, chosen.has(node) ? way : answered(way, node, true));
        return way;
      }
      if (compiler.isSwitchStatement(node)) {
        const all = missing(node);
        if (all.length && !chosen.has(node)) preset.set(key(node), true);
        for (const c of node.caseBlock.clauses) walk(c, all.includes(c) ? answered(way, node, all.indexOf(c)) : way);
        return way;
      }
      if (compiler.isTryStatement(node)) {
        const handler = node.catchClause?.block;
        if (handler && misses(handler)) preset.set(key(node), true);
        walk(node.tryBlock, way);
        if (handler) walk(handler, answered(way, node, true));
        if (node.finallyBlock) walk(node.finallyBlock, way);
        return way;
      }
      if (compiler.isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.AmpersandAmpersandToken && missed.has(from(node)) && compiler.isCallExpression(node.right) && compiler.isExpressionStatement(node.parent)) {
        preset.set(key(node), true);
        walk(node.right, way);
        return way;
      }
      compiler.forEachChild(node, (n) => void walk(n, way));
      return way;
    }
    if (missed.size) {
      find(source, new Set());
      find(source, new Set()); // now all items are known
      walk(source, {});
      for (const k of preset.keys()) asked.add(k);
      own = [...asked].map((k) => line(Number(k.slice(file.length + 1)))).map((n) => [n, n]); // what asks, and not what is asked for
    }

    function block(statements) {
      const own = statements.filter((s) => compiler.isFunctionDeclaration(s) && s.name && s.body && touches(s)).map((s) => factory.createExpressionStatement(keep(s.name, s, s.name.text)));
      for (const s of statements.filter((s) => compiler.isClassDeclaration(s) && s.name)) {
        for (const m of s.members.filter((m) => compiler.isMethodDeclaration(m) && m.body && touches(m) && compiler.isIdentifier(m.name))) {
          const fixed = m.modifiers?.some((x) => x.kind === SyntaxKind.StaticKeyword);
          own.push(factory.createExpressionStatement(keep(factory.createArrowFunction(undefined, undefined, [], undefined, undefined, s.name), m, m.name.text, text(fixed ? 'static' : 'method'))));
        }
      }
      const out = statements.map(condition);
      return [...out.map((s) => compiler.visitNode(s, visit)).flat(), ...own];
    }
    function condition(s) {
      if (!missed.size || s.pos < 0) return s;
      if (compiler.isIfStatement(s)) return factory.updateIfStatement(s, answer(s, s.expression), s.thenStatement, s.elseStatement && compiler.isIfStatement(s.elseStatement) ? condition(s.elseStatement) : s.elseStatement);
      if (compiler.isSwitchStatement(s) && asked.has(key(s))) return chosenCase(s);
      if (compiler.isTryStatement(s) && s.catchClause && asked.has(key(s))) return failing(s);
      if (compiler.isForOfStatement(s) && misses(s.statement)) return factory.updateForOfStatement(s, s.awaitModifier, s.initializer, helped('__gateSome__', s.expression), s.statement);
      if (compiler.isWhileStatement(s)) return factory.updateWhileStatement(s, answer(s, s.expression, true), s.statement);
      if (compiler.isExpressionStatement(s) && compiler.isBinaryExpression(s.expression) && asked.has(key(s.expression))) {
        const { left, operatorToken: and, right } = s.expression;
        return factory.updateExpressionStatement(s, factory.updateBinaryExpression(s.expression, answer(s.expression, left), and, right));
      }
      return s;
    }
    // The value is that of a case that did not run, of the next one each time.
    function chosenCase(s) {
      const all = missing(s), late = (c) => factory.createArrowFunction(undefined, undefined, [], undefined, undefined, compiler.isCaseClause(c) && !hasAwait(c.expression) ? c.expression : factory.createNull());
      return factory.updateSwitchStatement(s, helped('__gateTurn__', text(key(s)), factory.createArrayLiteralExpression(all.map(late)), tried(s.expression)), s.caseBlock);
    }
    // What is tried fails at its end, or where it would return.
    function failing(s) {
      const body = [...s.tryBlock.statements], at = body.findIndex((b) => compiler.isReturnStatement(b));
      body.splice(at < 0 ? body.length : at, 0, factory.createExpressionStatement(helped('__gateFail__', text(key(s)))));
      return factory.updateTryStatement(s, factory.updateBlock(s.tryBlock, body), s.catchClause, s.finallyBlock);
    }
    const equal = new Map([[SyntaxKind.EqualsEqualsEqualsToken, true], [SyntaxKind.EqualsEqualsToken, true], [SyntaxKind.ExclamationEqualsEqualsToken, false], [SyntaxKind.ExclamationEqualsToken, false]]);
    const nothing = (n) => n.kind === SyntaxKind.NullKeyword || compiler.isTypeOfExpression(n) || n.kind === SyntaxKind.TrueKeyword || n.kind === SyntaxKind.FalseKeyword || compiler.isIdentifier(n) && n.text === 'undefined';
    // What a table of the file has for a key, or each of its values in turn: table[key], table.get(key).
    const table = (n) => missed.size && compiler.isIdentifier(n) && (tops().get(n.text) && /Object|Array/.test(SyntaxKind[tops().get(n.text).kind]) || read().has(n.text));
    let data;
    // Tables that are read from files: require('./x.json'), import x from './x.json', JSON.parse(…).
    const read = () => {
      if (data) return data;
      data = new Set();
      for (const s of source.statements) {
        if (compiler.isImportDeclaration(s) && /\.json$/.test(s.moduleSpecifier.text) && s.importClause?.name) data.add(s.importClause.name.text);
        if (!compiler.isVariableStatement(s)) continue;
        for (const { name, initializer: of } of s.declarationList.declarations) if (compiler.isIdentifier(name) && of && compiler.isCallExpression(of) && (/^JSON\.parse$/.test(of.expression.getText(source)) || of.expression.getText(source) === 'require' && /\.json$/.test(of.arguments[0]?.text ?? ''))) data.add(name.text);
      }
      return data;
    };
    const constant = (n) => read().has(n.expression.text) && (compiler.isStringLiteral(n.argumentExpression) || compiler.isNumericLiteral(n.argumentExpression));
    const inside = (n) => Boolean(n.parent) && (compiler.isFunctionLike(n.parent) || inside(n.parent));
    let choices = 0;
    const changes = (node) => node.parent && (compiler.isBinaryExpression(node.parent) && node.parent.left === node && node.parent.operatorToken.kind >= SyntaxKind.FirstAssignment && node.parent.operatorToken.kind <= SyntaxKind.LastAssignment || compiler.isDeleteExpression(node.parent) || compiler.isPrefixUnaryExpression(node.parent) || compiler.isPostfixUnaryExpression(node.parent));
    const picks = (node) => node.pos >= 0 && (compiler.isElementAccessExpression(node) && table(node.expression) && !changes(node) && !constant(node)
      || compiler.isCallExpression(node) && compiler.isPropertyAccessExpression(node.expression) && node.expression.name.text === 'get' && table(node.expression.expression)) && !hasAwait(node);
    const late = (value) => factory.createArrowFunction(undefined, undefined, [], undefined, undefined, value);
    const either = (node) => node.pos >= 0 && compiler.isConditionalExpression(node) && missed.has(from(node)) && inside(node) && !hasAwait(node.condition);
    // What asks in an expression, and those functions that call what is called anyway: what only tells is acted on there.
    const functions = [];
    const look = (n) => {
      if (missed.size && (either(n) || picks(n) && missed.has(from(n)) && inside(n))) own.push([from(n), from(n)]);
      if (compiler.isFunctionLike(n) && n.body) {
        const name = n.name ?? (n.parent && (compiler.isVariableDeclaration(n.parent) || compiler.isPropertyAssignment(n.parent)) ? n.parent.name : undefined);
        functions.push({ n, name: name && compiler.isIdentifier(name) ? name.text : '' });
      }
      compiler.forEachChild(n, look);
    };
    look(source);
    let asking = new Set(functions.filter((f) => f.name && touches(f.n)).map((f) => f.name));
    for (let round = 0, most = 12; round < 2 && asking.size; round++) {
      const more = functions.filter((f) => !touches(f.n) && meets(named(f.n.body), asking)).slice(0, most);
      most -= more.length;
      asking = new Set(more.map((f) => f.name).filter(Boolean));
      own.push(...more.map((f) => [from(f.n), from(f.n)]));
    }
    function visit(node) {
      if (picks(node)) {
        const of = compiler.isElementAccessExpression(node) ? node.expression : node.expression.expression;
        return helped('__gatePick__', of, factory.createArrowFunction(undefined, undefined, [], undefined, undefined, compiler.visitEachChild(node, visit, context)), truth(!inside(node)));
      }
      if (either(node)) {
        const inner = compiler.visitEachChild(node, visit, context);
        return factory.updateConditionalExpression(inner, helped('__gateEither__', factory.createNumericLiteral(choices++), late(inner.condition)), inner.questionToken, inner.whenTrue, inner.colonToken, inner.whenFalse);
      }
      if (compiler.isBinaryExpression(node) && equal.has(node.operatorToken.kind) && !nothing(node.left) && !nothing(node.right)) {
        const same = helped('__gateSame__', compiler.visitNode(node.left, visit), compiler.visitNode(node.right, visit), compiler.tokenToString(node.operatorToken.kind).length === 3 ? factory.createTrue() : factory.createFalse());
        return equal.get(node.operatorToken.kind) ? same : factory.createPrefixUnaryExpression(SyntaxKind.ExclamationToken, same);
      }
      if (compiler.isSwitchStatement(node) && node.pos >= 0) {
        const inner = compiler.visitEachChild(node, visit, context);
        return factory.updateSwitchStatement(inner, helped('__gatePlain__', inner.expression), inner.caseBlock);
      }
      if (compiler.isMethodDeclaration(node) && node.parent && compiler.isObjectLiteralExpression(node.parent) && node.body && touches(node) && compiler.isIdentifier(node.name) && !usesThis(node)) return objectMethod(node);
      if (compiler.isBlock(node)) return factory.updateBlock(node, hoisted(block([...node.statements])));
      if ((compiler.isArrowFunction(node) || compiler.isFunctionExpression(node)) && touches(node)) {
        const name = node.parent && (compiler.isVariableDeclaration(node.parent) || compiler.isPropertyAssignment(node.parent)) ? node.parent.name.getText(source) : 'function';
        return keep(compiler.visitEachChild(node, visit, context), node, name);
      }
      return compiler.visitEachChild(node, visit, context);
    }
    const usesThis = (n) => n.kind === SyntaxKind.ThisKeyword || n.kind === SyntaxKind.SuperKeyword || Boolean(compiler.forEachChild(n, (c) => usesThis(c) || undefined));
    // A method of an object becomes a function that is kept: name(a) { … } as name: keep(function (a) { … }).
    function objectMethod(node) {
      const inner = compiler.visitEachChild(node, visit, context);
      const made = factory.createFunctionExpression(inner.modifiers, inner.asteriskToken, undefined, undefined, inner.parameters, undefined, inner.body);
      return factory.createPropertyAssignment(node.name, keep(made, node, node.name.text));
    }
    // A return in front would leave out what keeps the functions of a block.
    const hoisted = (statements) => {
      const ours = statements.filter((s) => s.pos < 0 && compiler.isExpressionStatement(s) && compiler.isCallExpression(s.expression) && compiler.isPropertyAccessExpression(s.expression.expression) && s.expression.expression.name.text === '__gateKeep__');
      return [...ours, ...statements.filter((s) => !ours.includes(s))];
    };
    const all = hoisted(block([...source.statements])), directive = (s) => compiler.isExpressionStatement(s) && compiler.isStringLiteral(s.expression);
      return factory.updateSourceFile(source, [...all.filter(directive), ...all.filter((s) => !directive(s))]);
  };
}

nodeModule.registerHooks?.({
  load(url, context, next) {
    const file = url.startsWith('file:') ? fileURLToPath(url) : '';
    const name = file.slice(workspace.length);
    if (!file.startsWith(workspace) || file.includes('/node_modules/') || !/\.([cm]?[jt]s|[jt]sx)$/.test(file) || touched[name] === undefined && force[name] === undefined) return next(url, context);
    const result = next(url, context);
    try {
      const source = readFileSync(file, 'utf8'), commonjs = result.format?.startsWith('commonjs');
      const { outputText } = compiler.transpileModule(source, {
        fileName: file, transformers: { before: [edit(name)] },
        compilerOptions: {
          module: commonjs ? ModuleKind.CommonJS : ModuleKind.ESNext, target: ScriptTarget.ESNext, jsx: JsxEmit.ReactJSX, inlineSourceMap: true, allowJs: true,
          esModuleInterop: true, experimentalDecorators: true, alwaysStrict: false, verbatimModuleSyntax: !commonjs && /\.[cm]?jsx?$/.test(file),
        },
      });
      made.add(outputText.trimEnd());
      return { format: commonjs ? 'commonjs' : result.format?.replace('-typescript', '') ?? 'module', source: outputText, shortCircuit: true };
    } catch {
      return result;
    }
  },
});

const end = { exit: process.exit, reallyExit: process.reallyExit };
process.exit = process.reallyExit = () => { throw new Error('the program ends'); };
process.on('uncaughtException', () => {}).on('unhandledRejection', () => {});

// On a busy machine functions may be called for longer, until they have had the processor for a while.
const used = process.cpuUsage();
function over() {
  const { user, system } = process.cpuUsage(used);
  return now() > last + (user + system < 5e6 ? 8000 : 0);
}
// A function that came to no end twice is given less time from then on, so that the others have some.
let endless = 0;
const patience = (ms) => (endless < 2 ? ms : ms / 10);
async function call(f, ...args) {
  if (over()) return;
  const began = now(), most = patience(2000);
  try {
    const out = f(...args);
    if (typeof out?.next === 'function') for (let i = 0; i < 20 && !(await Promise.race([out.next(), soon(patience(500))]))?.done; i++);
    await Promise.race([out, soon(most)]);
  } catch {}
  if (now() - began >= most) endless++;
}

// An object for a method: of its class where one can be made, or one that has everything.
function owner(kind) {
  for (const of of [[given(), given(), given()], []]) {
    try {
      return new kind(...of);
    } catch {}
  }
  try {
    return Object.create(kind.prototype);
  } catch {
    return given();
  }
}

async function exercise({ f, params, uses, name, lines, method }) {
  endless = 0;
  let run = f, other = null;
  if (method) {
    const kind = f();
    const on = method === 'static' ? kind : owner(kind);
    run = (...args) => on[name](...args);
    try {
      other = method === 'static' ? null : new kind(); // with its own defaults
    } catch {}
  }
  const known = params.map((p) => /^(.*?):(.*?)(=?)$/s.exec(p).slice(1));
  const value = (of) => known.map(([n, type, preset]) => (preset && !of ? undefined : of?.(n, type) ?? (type ? typed(n, type) : named(n))));
  const chance = /\b(?:random|randomInt|randomBytes|randomUUID|getRandomValues)\b/.test(Function.prototype.toString.call(f));
  const texts = uses.filter((u) => typeof u === 'string' && u).slice(0, 16), numbers = uses.filter((u) => typeof u === 'number' && u > 1).slice(0, 6);
  const plain = (n, type) => /^(string|number|boolean)/.test(type);
  const gives = [null, (n, type) => (plain(n, type) || /^_?(req|request|ctx|socket|ws|interaction|update)$/.test(n) ? undefined : given())];
  for (const t of texts) for (const all of [false, true]) gives.push((n, type) => (type === 'string' || (!type && (all || typeof named(n) !== 'number')) ? t : undefined));
  for (const c of numbers) for (const v of [c + 1, c]) gives.push((n, type) => (type === 'number' || (!type && typeof named(n) === 'number') ? v : undefined));
  // Whatever is asked of an argument, the answer is this text, or this number.
  const said = (t, v) => (n, type) => (type === 'string' ? t : type === 'number' ? v : plain(n, type) ? undefined : given(t, v));
  for (const t of texts.slice(0, 10)) gives.push(said(t, 0));
  for (const c of numbers) gives.push(said(GIVEN, c + 1));
  lay();
  wanted.clear();
  const had = new Set(texts);
  const single = ways.filter((w) => w.lines.some((n) => lines[0] <= n && n <= lines[1])).slice(0, 16);
  let most = 0;
  for (const give of known.length ? gives.slice(0, 2) : [null]) {
    for (const way of [null, ...single]) {
      begin(way);
      await call(run, ...value(give));
      most = Math.max(most, plan.most);
    }
  }
  for (let turn = 0; turn < Math.min(most, 12); turn++) { // of each table
    for (const way of [null, ...single.slice(0, 6)]) {
      begin(way, turn);
      await call(run, ...value(null));
    }
  }
  for (const give of known.length ? gives.slice(2) : []) {
    for (const way of [null, ...single.slice(0, 3)]) {
      begin(way);
      await call(run, ...value(give));
    }
  }
  begin();
  if (known.length) for (const t of [...wanted].filter((w) => !had.has(w)).slice(0, 16)) for (const way of [said(t, 3), (n, type) => (type === 'string' || !type ? t : undefined)]) await call(run, ...value(way));
  if (other) await call((...args) => other[name](...args), ...value());
  if (other) await call((...args) => other[name](...args), ...known.map(([n, type]) => (plain(n, type) ? typed(n, type) : given())));
  const often = Math.max(chance ? 200 : 0, ...numbers.filter((n) => n <= 2000)), until = now() + 500;
  for (let i = 0; i < often && now() < until; i++) await call(run, ...value());
}

if (Object.keys(touched).some((file) => { try { return /\b(?:document|window)\./.test(readFileSync(workspace + file, 'utf8')); } catch { return false; } })) page();
globalThis.require ??= nodeModule.createRequire(workspace + 'package.json'); // what is compiled to CommonJS has one
let names = null;
try {
  names = await import(address);
} catch (error) {
  console.error(error);
}
last = now() + 10_000; // on a busy machine, loading the compiler and the module takes as long
const called = new Set();
for (const one of kept) {
  if (over()) break;
  called.add(one.f);
  try {
    await exercise(one);
  } catch {}
}
// What registered functions in other functions has made more of them.
for (const one of kept.filter((o) => !called.has(o.f))) {
  if (over()) break;
  try {
    await exercise(one);
  } catch {}
}
for (const of of Object.keys(force).length ? [] : [names, names?.default]) {
  if (of === null || (typeof of !== 'object' && typeof of !== 'function')) continue;
  for (const [name, f] of [...Object.entries(of), ['default', of]].slice(0, 200)) {
    if (typeof f !== 'function' || f.length > 0 || name.startsWith('_') || called.has(f)) continue;
    if (/^class\b/.test(Function.prototype.toString.call(f))) continue;
    if (over()) break;
    called.add(f);
    await call(f);
  }
}
// What the functions began is not over when they return.
await soon(100);
const busy = () => process.getActiveResourcesInfo().some((r) => /^(?:GetAddrInfo|TCPConnect|TCPSocket|TLSWrap|Process|FSReq|PipeConnect)/.test(r));
for (let i = 0; i < 40 && busy(); i++) await soon(100);
Object.assign(process, end);
process.exit(0);
