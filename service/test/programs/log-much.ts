// Logs far more than a reader that stalls may hold up, says how much memory that took, and ends.
import { createLogger } from '../../src/platform/logging.ts';

const logger = createLogger('test', 'info');
const network = 'x'.repeat(180);
for (let lines = 0; lines < 60_000; lines += 1) {
  logger.info({ network, attempt: lines }, 'request.done');
  // A process that serves requests lets its event loop turn.
  if (lines % 1_000 === 0) await new Promise(setImmediate);
}
process.stderr.write(`${Math.round(process.memoryUsage().rss / 1024 / 1024)} MB\n`);
process.on('SIGTERM', () => process.exit(0));
setInterval(() => undefined, 1_000);
