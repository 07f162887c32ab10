import { addAbortSignal, Readable } from 'node:stream';
import { ApiError } from '../../platform/api-error.ts';

/** A client that takes longer is taken for gone. */
const longestDownloadMs = 15 * 60_000;
/** A file takes many queries. One partner's must not keep everyone else's requests waiting. */
const downloadsAtOnce = 2;

function tooManyDownloads(): ApiError {
  return new ApiError({
    code: 'rate_limited',
    message: `You already have ${downloadsAtOnce} downloads in progress. Retry when one has finished.`,
    retryAfterSeconds: 5,
  });
}

/** Streams the file a page at a time, so that it is never whole in memory. */
async function openFile(lines: AsyncGenerator<string>): Promise<Readable> {
  // An error before the first byte can still be answered as one.
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
