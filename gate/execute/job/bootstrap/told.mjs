// Tells which lines ran and ends when the supervisor wants no more.
import { takeCoverage } from 'node:v8';
import { isMainThread } from 'node:worker_threads';
if (isMainThread) {
  process.on('SIGPWR', () => {
    try {
      takeCoverage();
    } catch {}
    process.reallyExit(0);
  });
}
