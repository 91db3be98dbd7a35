// Ends a process of tests when their time is over: BUDGET is in milliseconds, from the start of the first process.
// That in which others kept it from a processor does not count.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
const began = Number((process.env.GATE_TESTS_BEGIN ??= Date.now()));
const gone = Date.now() - began; // more than a day where the clock was moved after a build began
const started = performance.now(), now = performance.now.bind(performance);
const held = () => {
  try {
    return Math.min(Number(readFileSync('/dev/shm/.gate-held', 'latin1')) || 0, 3 * BUDGET);
  } catch {
    return 0;
  }
};
const all = BUDGET - (gone > 0 && gone < 864e5 ? gone : 0);
const later = setTimeout;
later(function over() {
  const left = all + held() - (now() - started);
  if (left > 0) return void later(over, left).unref();
  try {
    mkdirSync(process.env.NODE_V8_COVERAGE, { recursive: true });
    writeFileSync(`${process.env.NODE_V8_COVERAGE}/tests-running-${process.pid}`, process.argv.slice(1).join('\n'));
  } catch {}
  process.exit(1);
}, all).unref();
