import type { Clock } from '../platform/clock.ts';
import type { Pool } from '../platform/database/pool.ts';
import { inReadOnlyTransaction, type PartnerContext } from '../platform/database/transaction.ts';
import type { Egress } from '../platform/egress/egress.ts';
import type { EgressResult } from '../platform/egress/exchange.ts';
import type { Encryptor } from '../platform/encryption.ts';
import { newId } from '../platform/ids.ts';
import { noSuchEndpoint } from './change-endpoints.ts';
import { mayBePlain } from './endpoint.ts';
import { signMessage } from './message.ts';
import { findEndpoint, findSecrets } from './store.ts';

export interface TestDeps {
  pool: Pool;
  clock: Clock;
  encryptor: Encryptor;
  egress: Egress;
}

/** The caller waits for it, and every request ends within ten seconds. */
const answerWithinMs = 7_000;

/** Sends an event that says that it is a test, signed like any other. It has no number and is in no log. */
export async function testEndpoint(
  { pool, clock, encryptor, egress }: TestDeps,
  of: PartnerContext,
  id: string,
): Promise<EgressResult> {
  const { endpoint, secrets } = await inReadOnlyTransaction(pool, of, async (tx) => {
    const found = await findEndpoint(tx, of, id);
    if (found === null) throw noSuchEndpoint();
    return { endpoint: found, secrets: await findSecrets(tx, found.id) };
  });
  const now = clock.now();
  const messageId = newId(clock);
  const event = {
    id: messageId,
    object: 'event',
    environment: of.environment,
    sequence: null,
    type: 'webhook.test',
    version: null,
    created_at: now.toISOString(),
    data: null,
    webhook: { id: endpoint.id, previous_sequence: null },
  };
  const toSign = { endpointId: endpoint.id, messageId, body: JSON.stringify(event), secrets };
  const message = signMessage(encryptor, toSign, now);
  const deadline = AbortSignal.timeout(answerWithinMs);
  return egress
    .post({ url: endpoint.url, ...message, mayBePlain: mayBePlain(of) }, deadline)
    .catch((error: unknown) => {
      if (!deadline.aborted) throw error;
      return { kind: 'failed', latencyMs: answerWithinMs, reason: 'timeout' } as const;
    });
}
