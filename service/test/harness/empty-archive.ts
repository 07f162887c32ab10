import { createArchive, type Archive } from '../../src/archive/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/logging.ts';

/** Of a database that no month has left. */
export function createEmptyArchive(): Archive {
  return createArchive({
    store: null,
    listMonths: async () => [],
    clock: systemClock,
    logger: createLogger('test', 'silent'),
  });
}
