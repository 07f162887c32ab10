import { createArchive, createDirectoryStore, listArchivedMonths, type Archive } from '../../archive/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { Logger } from '../../platform/logging.ts';

interface ArchiveDeps {
  /** Null where months that have left the database cannot be read. */
  folder: string | null;
  calls: SingleCalls;
  clock: Clock;
  logger: Logger;
}

export function openArchive({ folder, calls, clock, logger }: ArchiveDeps): Archive {
  return createArchive({
    store: folder === null ? null : createDirectoryStore(folder),
    listMonths: async () => listArchivedMonths(calls),
    clock,
    logger,
  });
}
