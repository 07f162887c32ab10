import type { KeyObject } from 'node:crypto';
import type { FastifyError } from 'fastify';
import type { Server } from '../../http/server.ts';
import type { Clock } from '../../platform/clock.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { Logger } from '../../platform/logging.ts';
import { limitWebhooks } from './webhook-limit.ts';
import { readWebhook, type PaymentNews, type WebhookOutcome } from '../bridge/webhook.ts';

type Environment = PartnerContext['environment'];

const retryWebhookSeconds = 5;

interface WebhookDeps {
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
  /** The public key of each environment's bank; null where it has none. */
  webhookKeys: Readonly<Record<Environment, KeyObject | null>>;
  /** There is news of a payment. */
  wakePayment: (environment: Environment, news: PaymentNews) => Promise<void>;
  /** There is news of a verification. */
  wakeVerification: (verificationId: string) => Promise<void>;
  /** There is news of a deposit. */
  wakeDeposit: (news: { environment: Environment; sourceId: string; depositId: string }) => Promise<void>;
}

/** Where the banks tell us that something changed. Not part of the API: each bank is given its own address. */
export async function addWebhookRoutes(
  app: Server,
  { webhookKeys, clock, logger, ...deps }: WebhookDeps,
): Promise<void> {
  const limit = limitWebhooks({ logger, now: () => performance.now() });
  await app.register(async (scope) => {
    // The signature is over the bytes as they came.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.addHook('onError', (request, reply, error, done) => {
      if (isForgery(error)) limit.recordForged(request, reply);
      done();
    });
    for (const environment of ['sandbox', 'live'] as const) {
      scope.post(
        `/bank-webhooks/${environment}`,
        { schema: { hide: true }, onRequest: limit.hook },
        async (request, reply) => {
          const publicKey = webhookKeys[environment];
          const header = request.headers['x-webhook-signature'];
          const { body: rawBody } = request;
          if (publicKey === null || typeof header !== 'string' || !Buffer.isBuffer(rawBody)) throw refused();
          const event = readWebhook({ header, rawBody, publicKey, now: clock.now() });
          if (event.kind === 'refused') throw refused(event.text);
          limit.recordGenuine(request);
          await wake(deps, environment, event).catch(refuseToTake);
          // Whatever else it is about is acknowledged, or the bank would send it again and again.
          return reply.code(200).send({ received: true });
        },
      );
    }
  });
}

async function wake(
  deps: Pick<WebhookDeps, 'wakePayment' | 'wakeVerification' | 'wakeDeposit'>,
  environment: Environment,
  event: Exclude<WebhookOutcome, { kind: 'refused' }>,
): Promise<void> {
  if (event.kind === 'deposit') await deps.wakeDeposit({ environment, ...event });
  if (event.kind === 'payment') await deps.wakePayment(environment, event);
  // A sandbox verifies nobody: what its bank says of that opens nothing.
  if (event.kind === 'verification' && environment === 'live') await deps.wakeVerification(event.verificationId);
}

/** A bank sends again what was answered 503, and may count a 500 as delivered to a broken address. */
function refuseToTake(cause: unknown): never {
  if (cause instanceof ApiError) throw cause;
  throw new ApiError({
    code: 'unavailable',
    message: 'The webhook could not be recorded. Send it again.',
    internal: 'webhook: not recorded',
    retryAfterSeconds: retryWebhookSeconds,
    cause,
  });
}

/** Without a signature of the bank. A genuine one that is old or unreadable is logged: that is for us to find out. */
function isForgery(error: FastifyError): boolean {
  if (error instanceof ApiError) return error.code === 'unauthorized' && error.internal === undefined;
  return (error.statusCode ?? 500) < 500;
}

function refused(why: 'signature' | 'stale' | 'unreadable' = 'signature'): ApiError {
  const internal = why === 'signature' ? {} : { internal: `webhook: ${why}` };
  return new ApiError({ code: 'unauthorized', message: 'The webhook signature is invalid.', ...internal });
}
