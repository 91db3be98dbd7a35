// Ends a process of tests when their time is over: BUDGET is in milliseconds, from the start of the first process.
import { mkdirSync, writeFileSync } from 'node:fs';
const began = Number((process.env.GATE_TESTS_BEGIN ??= Date.now()));
const gone = Date.now() - began; // more than a day where the clock was moved after a build began
setTimeout(() => {
  try {
    mkdirSync(process.env.NODE_V8_COVERAGE, { recursive: true });
    writeFileSync(`${process.env.NODE_V8_COVERAGE}/tests-running-${process.pid}`, process.argv.slice(1).join('\n'));
  } catch {}
  process.exit(1);
}, BUDGET - (gone > 0 && gone < 864e5 ? gone : 0)).unref();
