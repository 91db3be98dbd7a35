// Makes modules that are not there importable: whatever is asked of them is there
// and does nothing. NAMES is what stands in for what, with the names that are
// imported from it.
import { registerHooks } from 'node:module';

const names = NAMES;
const anything = `
const anything = new Proxy(function () {}, {
  get(target, name) {
    if (name === Symbol.toPrimitive) return () => '';
    if (name === Symbol.iterator) return function* () {};
    if (name === Symbol.asyncIterator) return async function* () {};
    if (name === 'then' || name === '__esModule') return undefined;
    if (name === 'prototype') return target.prototype;
    return anything;
  },
  apply: () => anything,
  construct: () => anything,
  set: () => true,
  has: () => true,
});
`;

const bare = (specifier) => specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/');

const scheme = 'gate-stand-in:';

registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith(scheme)) return { url: specifier, shortCircuit: true };
    try {
      return next(specifier, context);
    } catch (error) {
      if (!Object.hasOwn(names, bare(specifier))) throw error;
      const format = context.conditions.includes('import') ? 'module' : 'commonjs';
      return { url: `${scheme}${format}:${specifier}`, format, shortCircuit: true };
    }
  },
  load(url, context, next) {
    if (!url.startsWith(scheme)) return next(url, context);
    const [, format, specifier] = url.split(':');
    const wanted = (names[bare(specifier)] ?? []).map((name) => `anything as ${name}`);
    const ending = format === 'module' ? `export { ${['anything as default', ...wanted].join(', ')} };` : 'module.exports = anything;';
    return { format, source: anything + ending, shortCircuit: true };
  },
});
