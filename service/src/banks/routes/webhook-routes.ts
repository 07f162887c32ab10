import type { KeyObject } from 'node:crypto';
import type { Server } from '../../http/server.ts';
import type { Clock } from '../../platform/clock.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { ApiError } from '../../platform/api-error.ts';
import { readWebhook, type PaymentNews, type WebhookOutcome } from '../bridge/webhook.ts';

type Environment = PartnerContext['environment'];

const retryWebhookSeconds = 5;

interface WebhookDeps {
  clock: Clock;
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
export async function addWebhookRoutes(app: Server, { webhookKeys, clock, ...deps }: WebhookDeps): Promise<void> {
  await app.register(async (scope) => {
    // The signature is over the bytes as they came.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    for (const environment of ['sandbox', 'live'] as const) {
      scope.post(`/bank-webhooks/${environment}`, { schema: { hide: true } }, async (request, reply) => {
        const publicKey = webhookKeys[environment];
        const header = request.headers['x-webhook-signature'];
        const { body: rawBody } = request;
        if (publicKey === null || typeof header !== 'string' || !Buffer.isBuffer(rawBody)) throw refused('signature');
        const event = readWebhook({ header, rawBody, publicKey, now: clock.now() });
        if (event.kind === 'refused') throw refused(event.text);
        await wake(deps, environment, event).catch(refuseToTake);
        // Whatever else it is about is acknowledged, or the bank would send it again and again.
        return reply.code(200).send({ received: true });
      });
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

function refused(why: string): ApiError {
  return new ApiError({
    code: 'unauthorized',
    message: 'The webhook signature is invalid.',
    internal: `webhook: ${why}`,
  });
}
