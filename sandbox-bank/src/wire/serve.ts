import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BankClock } from '../clock.ts';
import { inTransaction, type Pool } from '../database.ts';
import type { Faults } from '../faults.ts';
import { readFields } from '../http/fields.ts';
import { ApiError } from '../http/api-error.ts';
import type { Route } from '../http/route.ts';
import { idReader, sendJson } from '../http/server.ts';
import { answerOnce, fingerprintOf, inWords, type SentAnswer } from '../idempotency.ts';
import type { RequestCounts } from '../request-counts.ts';
import { spoilReply, spoilRequest } from './spoil.ts';
import { isUnclear } from './unclear-answer.ts';

interface WireDeps {
  pool: Pool;
  clock: BankClock;
  faults: Faults;
  counts: RequestCounts;
  apiKey: string;
}

/** Serves the wire API: who calls is checked first, then faults come in between, then a key is honoured. */
export function serveWireRoutes(app: FastifyInstance, deps: WireDeps, routes: readonly Route[]): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const known = request.headers['api-key'] === deps.apiKey;
    done(
      known ? undefined : new ApiError({ code: 'unauthorized', message: 'The Api-Key header is missing or invalid.' }),
    );
  });
  for (const route of routes) {
    app.route({
      method: route.method,
      url: route.url,
      handler: async (request, reply) => answerWire(deps, route, request, reply),
    });
  }
}

async function answerWire(
  deps: WireDeps,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (route.method === 'GET') deps.counts.add(request.url);
  const fault = deps.faults.claim(route.faultPoint);
  const exchange = fault === undefined ? undefined : { fault, request, reply };
  if (exchange !== undefined && (await spoilRequest(exchange)) === 'answered') return reply;
  const takeMoreMicroUsdc = fault?.kind === 'take_different' ? fault.microUsdc : 0n;
  const { status, text, replayed } = await workOut(deps, route, request, takeMoreMicroUsdc);
  if (exchange !== undefined && (await spoilReply(exchange, text)) === 'answered') return reply;
  // A success without a body: its caller can't know what became of the request, and the bank is well.
  if (isUnclear(text, deps.clock.now())) {
    sendJson(reply, status, '');
    return reply;
  }
  if (replayed) reply.header('Idempotent-Replayed', 'true');
  sendJson(reply, status, text);
  return reply;
}

/** Everything that the bank does for a request, committed when this returns. */
async function workOut(
  { pool, clock }: WireDeps,
  route: Route,
  request: FastifyRequest,
  takeMoreMicroUsdc: bigint,
): Promise<SentAnswer> {
  const key = route.method === 'POST' ? readKey(request) : null;
  const at = clock.now();
  try {
    return await inTransaction(pool, async (tx) => {
      const work = async () =>
        route.perform({
          tx,
          at,
          id: idReader(request),
          query: readFields(request.query, 'query'),
          body: readFields(request.body, 'body'),
          idempotencyKey: key,
          takeMoreMicroUsdc,
        });
      if (key === null) {
        const answer = await work();
        await answer.lastly?.();
        return inWords(answer);
      }
      const fingerprint = fingerprintOf({ method: request.method, url: request.url, body: request.body });
      return answerOnce(tx, { key, fingerprint, at }, work);
    });
  } catch (error) {
    // A refusal is an answer as any other: a fault may come over it, too.
    if (error instanceof ApiError) return inWords(error);
    throw error;
  }
}

function readKey(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[ -~]{1,255}$/.test(key)) return key;
  throw new ApiError({
    code: 'invalid_parameters',
    message: 'Idempotency-Key must be 1 to 255 visible characters.',
    source: { location: 'header', key: 'Idempotency-Key' },
  });
}
