import type { FastifyInstance, RequestPayload } from 'fastify';
import { ApiError } from '../../platform/api-error.ts';

/** Far more than anybody sends who means it: most bodies come in one. */
const mostChunks = 4_096;

function tooManyChunks(): ApiError {
  return new ApiError({
    code: 'payload_too_large',
    message: `The body comes in more than ${mostChunks} chunks. Send it in a few, or with its length.`,
  });
}

function countChunks(payload: RequestPayload): void {
  let chunks = 0;
  const count = (): void => {
    chunks += 1;
    if (chunks <= mostChunks) return;
    payload.off('data', count);
    // Whoever reads the body takes this for its end. Where nobody does, the answer needs none of it.
    if (payload.listenerCount('error') > 0) payload.emit('error', tooManyChunks());
  };
  payload.on('data', count);
}

/** A chunk of one byte costs as much as one of many: a body made of such would hold up everybody else. */
export function limitChunks(app: FastifyInstance): void {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (request.raw.headers['transfer-encoding'] !== undefined) countChunks(payload);
    done(null, payload);
  });
}
