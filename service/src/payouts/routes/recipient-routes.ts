import { Type, type Static } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { dateTime, listExample, listOf, money, nullableText, Query } from '../../http/schema/fields.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { formatPounds } from '../../money/amounts.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { firstIdAt } from '../../platform/ids.ts';
import { countedCache, createTtlCache, partnerKey } from '../../platform/ttl-cache.ts';
import { listRecipients, type PaidRecipient } from '../records/payout-store.ts';
import { recipientSummary } from './examples.ts';

const RecipientSummary = nameSchema(
  'RecipientSummary',
  Type.Object(
    {
      name: nullableText({ description: 'The name of the recipient.' }),
      account_last4: nullableText({ description: 'The last four digits of the account number.' }),
      payouts: Type.Integer({ minimum: 0, description: 'The number of completed payouts.' }),
      paid_gbp: money('What they received in total, in pounds.'),
      last_paid_at: dateTime('When the newest payout was completed, or created if none was completed.'),
    },
    { description: 'A recipient that you have paid.' },
  ),
);
const RecipientList = nameSchema(
  'RecipientList',
  listOf(RecipientSummary.ref, { description: 'Recipients, last paid first.' }),
);

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
  addSchema(app, RecipientSummary, recipientSummary);
  addSchema(app, RecipientList, listExample(recipientSummary));
  const schema = {
    operationId: 'listRecipients',
    summary: 'List recipients',
    description: `Returns the recipients of the last 365 days, grouped by name and account, at most ${mostListed}. Only the newest ${maxScanned.toLocaleString('en-GB')} payouts are counted.`,
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
