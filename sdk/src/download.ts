import type { Connection } from './connection.ts';
import type { PathOf } from './described-api.ts';
import { KelpieUnreachable, type UnreachableReason } from './errors.ts';
import { withRequestId } from './request-id.ts';
import { perform, type RequestOptions } from './request.ts';

/** A file that is read while it arrives: `new Response(download.body)` gives it as a text or a Blob. */
export interface Download {
  /** As Kelpie names the file, for example `statement-live-2026-11.csv`. */
  name: string;
  /** Its media type. */
  type: string;
  /** Read it to its end, or cancel it. It fails with a KelpieUnreachable when it breaks off: what came so far is not the file. */
  body: ReadableStream<Uint8Array>;
}

interface Flow {
  controller: AbortController;
  signal: AbortSignal | undefined;
  /** How long the next piece may take. */
  pieceTimeoutMs: number;
}

/** Every piece has a deadline, but the file as a whole has none: how long it takes depends on who reads it. */
function withDeadlines(body: ReadableStream<Uint8Array>, { controller, signal, pieceTimeoutMs }: Flow) {
  const reader = body.getReader();
  let reason: UnreachableReason = 'network';
  const end = (why: 'timeout' | 'aborted'): void => {
    reason = why;
    controller.abort();
  };
  const onAbort = (): void => end('aborted');
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted === true) onAbort();
  const finish = (): void => signal?.removeEventListener('abort', onAbort);
  return new ReadableStream<Uint8Array>({
    async pull(output) {
      const timer = setTimeout(end, pieceTimeoutMs, 'timeout');
      try {
        const { done, value } = await reader.read();
        if (!done) return output.enqueue(value);
        finish();
        return output.close();
      } catch (cause) {
        finish();
        return output.error(new KelpieUnreachable({ reason, isSafeToRepeat: true, cause }));
      } finally {
        clearTimeout(timer);
      }
    },
    async cancel(cause) {
      finish();
      await reader.cancel(cause);
      controller.abort();
    },
  });
}

/** It is tried again until it begins, and not once a piece of it was handed on. */
export async function openDownload(
  connection: Connection,
  path: PathOf<'get'>,
  options: RequestOptions,
): Promise<Download> {
  const { signal, timeoutMs: pieceTimeoutMs = connection.timeoutMs } = options;
  const { headers, body } = await perform(connection, 'get', path, {
    ...options,
    accept: '*/*',
    read: async (response, controller) =>
      response.body === null ? undefined : withDeadlines(response.body, { controller, signal, pieceTimeoutMs }),
  });
  const [, name = 'kelpie'] = /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '') ?? [];
  return withRequestId({ name, type: headers.get('content-type') ?? 'application/octet-stream', body }, headers);
}
