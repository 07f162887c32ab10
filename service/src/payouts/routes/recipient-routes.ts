import { Type, type Static } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { Instant, listOf, MoneyString, nullableText, Query } from '../../http/schema/fields.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { formatPounds } from '../../money/amounts.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { firstIdAt } from '../../platform/ids.ts';
import { countedCache, createTtlCache, partnerKey } from '../../platform/ttl-cache.ts';
import { listRecipients, type PaidRecipient } from '../records/payout-store.ts';

const RecipientSummary = nameSchema(
  'RecipientSummary',
  Type.Object({
    name: nullableText(),
    account_last4: nullableText(),
    payouts: Type.Integer({ minimum: 0, description: 'How many arrived.' }),
    paid_gbp: MoneyString,
    last_paid_at: Type.String({ ...Instant, description: 'When the last one arrived, or was made where none did.' }),
  }),
);
const RecipientList = nameSchema('RecipientList', listOf(RecipientSummary.ref, { description: 'Last paid first.' }));

const countedForMs = 365 * 24 * 3_600_000;
const mostListed = 200;
/** More payouts than this are not counted: the oldest are left out. */
const maxScanned = 50_000;

function recipientBody(recipient: PaidRecipient): Static<typeof RecipientSummary.definition> {
  return {
    name: recipient.name,
    account_last4: recipient.accountLast4,
    payouts: recipient.payouts,
    paid_gbp: formatPounds(recipient.paid),
    last_paid_at: recipient.lastPaidAt.toISOString(),
  };
}

interface RecipientDeps extends Authentication {
  calls: SingleCalls;
  clock: Clock;
}

export function addRecipientRoutes(app: Server, { calls, clock, requireCaller, callerOf }: RecipientDeps): void {
  for (const { definition } of [RecipientSummary, RecipientList]) app.addSchema(definition);
  const schema = {
    operationId: 'listRecipients',
    summary: 'Whom you have paid',
    description: `The last 365 days, and of them the newest ${maxScanned.toLocaleString('en-GB')} payouts; 200 recipients at most.`,
    tags: ['Payouts'],
    querystring: Query,
    response: { 200: RecipientList.ref, ...keyedErrors() },
  };
  const cache = createTtlCache<PaidRecipient[]>(countedCache);
  const config = { action: 'recipient.list', access: 'readers' } as const;
  app.get('/v1/recipients', { schema, config, onRequest: requireCaller }, async (request) => {
    const fromId = firstIdAt(new Date(clock.now().getTime() - countedForMs));
    const bounds = { fromId, limit: mostListed, maxScanned: maxScanned };
    const caller = callerOf(request);
    const recipients = await cache.get(partnerKey(caller), async () => listRecipients(calls, caller, bounds));
    return { object: 'list' as const, data: recipients.map(recipientBody) };
  });
}
