// Imports a module and calls what it exports and what wants no arguments, each for
// a short time.
const names = await import(process.argv[1]);
const last = performance.now() + 10_000;
const soon = () => new Promise((done) => setTimeout(done, 2000));
const called = new Set();
for (const of of [names, names.default]) {
  if (of === null || (typeof of !== 'object' && typeof of !== 'function')) continue;
  for (const [name, f] of [...Object.entries(of), ['default', of]].slice(0, 200)) {
    if (typeof f !== 'function' || f.length > 0 || name.startsWith('_') || called.has(f)) continue;
    if (/^class\b/.test(Function.prototype.toString.call(f))) continue;
    if (performance.now() > last) break;
    called.add(f);
    try {
      await Promise.race([f(), soon()]);
    } catch {}
  }
}
process.exit(0);
