// Ends a process of tests when their time is over: BUDGET is in milliseconds, from the start of the first process.
import { mkdirSync, writeFileSync } from 'node:fs';
const began = Number((process.env.GATE_TESTS_BEGIN ??= Date.now()));
setTimeout(() => {
  try {
    mkdirSync(process.env.NODE_V8_COVERAGE, { recursive: true });
    writeFileSync(`${process.env.NODE_V8_COVERAGE}/tests-running-${process.pid}`, process.argv.slice(1).join('\n'));
  } catch {}
  process.exit(1);
}, BUDGET - Math.max(0, Date.now() - began)).unref();
