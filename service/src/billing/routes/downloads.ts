import { addAbortSignal, Readable } from 'node:stream';
import { ApiError } from '../../platform/api-error.ts';

/** Whoever takes longer to read it has gone away, as far as we can know. */
const longestDownloadMs = 15 * 60_000;
/** A file is many looks at the database. One partner's shall not keep everybody else's requests waiting. */
const downloadsAtOnce = 2;

function tooManyDownloads(): ApiError {
  return new ApiError({
    code: 'rate_limited',
    message: `You already have ${downloadsAtOnce} downloads in progress. Retry when one has finished.`,
    retryAfterSeconds: 5,
  });
}

/** The file as it is read, a page at a time: it is never whole in memory, however long the month was. */
async function openFile(lines: AsyncGenerator<string>): Promise<Readable> {
  // What goes wrong before the first byte is still an answer of its own.
  const first = await lines.next();
  const file = Readable.from(
    (async function* rest() {
      if (first.done !== true) yield first.value;
      yield* lines;
    })(),
    { objectMode: false },
  );
  return addAbortSignal(AbortSignal.timeout(longestDownloadMs), file);
}

/** Opens files, a few at once for each partner. */
export function createDownloads(): (partnerId: string, lines: AsyncGenerator<string>) => Promise<Readable> {
  const open = new Map<string, number>();
  const change = (partnerId: string, by: number): void => {
    const count = (open.get(partnerId) ?? 0) + by;
    if (count === 0) open.delete(partnerId);
    else open.set(partnerId, count);
  };
  return async (partnerId, lines) => {
    if ((open.get(partnerId) ?? 0) >= downloadsAtOnce) throw tooManyDownloads();
    change(partnerId, 1);
    try {
      const file = await openFile(lines);
      file.once('close', () => change(partnerId, -1));
      return file;
    } catch (error) {
      change(partnerId, -1);
      throw error;
    }
  };
}
