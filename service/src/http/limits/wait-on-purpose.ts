import type { FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyReply {
    /** How long it waited on purpose. */
    waitedMs: number;
  }
}

/**
 * Lets a read wait for something that may come later. Neither its deadline nor the figures of how long requests take count
 * that time. The signal is aborted where the caller leaves meanwhile.
 */
export async function waitOnPurpose<Result>(
  reply: FastifyReply,
  mostMs: number,
  work: (gone: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  if (reply.raw.destroyed) leave();
  reply.raw.once('close', leave);
  reply.extendDeadline(mostMs);
  const startedAt = performance.now();
  try {
    return await work(gone.signal);
  } finally {
    reply.raw.off('close', leave);
    reply.waitedMs = performance.now() - startedAt;
  }
}
