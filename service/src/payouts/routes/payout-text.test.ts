import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '../../platform/clock.ts';
import { createLogger } from '../../platform/logging.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { createServer } from '../../http/server.ts';
import { addSchema } from '../../http/schema/schemas.ts';
import { listExample } from '../../http/schema/fields.ts';
import type { ShownPayout } from '../model/payout.ts';
import * as examples from './examples.ts';
import { answerWithPayout, answerWithPayouts } from './payout-text.ts';
import { PayoutList, PayoutSchema } from './schemas.ts';
import { payoutBody } from './wire-form.ts';

const hostileTexts = [
  '',
  '"quoted" and \\ "\\u0022',
  '\u0000\u0001\b\t\n\u001F\u007F',
  '</script>\u2028\u2029',
  'Zoë 支払い 🐕\u200D🦺 \u202E',
  // Half of a pair: what PostgreSQL refuses to keep, and an old row could hold for all we know.
  'cut \uD83D',
  '\uDC15 cut',
  '__proto__',
  'null',
  'x'.repeat(200),
];

const usual: ShownPayout = {
  id: '01a1e153-2cfd-70e5-b356-495cbe018dac',
  environment: 'sandbox',
  state: 'processing',
  reference: 'Order 42',
  bankReference: 'Order 42',
  amount: 2_500n,
  fee: 124n,
  walletDebit: 32_450_000n,
  recipientName: 'Ada Byron',
  accountLast4: '5678',
  failureCode: null,
  failureReason: null,
  updatedAt: new Date('2026-11-19T01:02:03.004Z'),
  createdVia: 'api',
  idempotencyKey: 'order-42',
  isDuplicateSuspected: false,
};

const hostile: ShownPayout[] = [
  usual,
  ...hostileTexts.flatMap((text): ShownPayout[] => [
    { ...usual, reference: text, bankReference: text, recipientName: text },
    { ...usual, state: 'failed', failureCode: 'unknown', failureReason: text, idempotencyKey: text },
  ]),
  { ...usual, reference: null, recipientName: null, accountLast4: null, idempotencyKey: null },
  { ...usual, environment: 'live', createdVia: 'dashboard', isDuplicateSuspected: true, state: 'returned' },
  { ...usual, amount: 10n ** 17n + 1n, fee: 0n, walletDebit: 9_223_372_036_854_775_807n },
];

const { app, finish } = createServer({
  clock: systemClock,
  logger: createLogger('test', 'silent'),
  meter: createMetrics().meter,
  supportEmail: 'support@kelpie.example',
  retryAfterSeconds: () => 1,
});
addSchema(app, PayoutSchema, examples.payout);
addSchema(app, PayoutList, listExample(examples.payout));
const one = { response: { 200: PayoutSchema.ref } };
const list = { response: { 200: PayoutList.ref } };
let shown: ShownPayout[] = [];
const first = (): ShownPayout => shown[0] ?? usual;
app.get('/by-schema', { schema: one }, async () => payoutBody(first()));
app.get('/by-text', { schema: one }, async (_request, reply) => answerWithPayout(reply, first()));
app.get('/list-by-schema', { schema: list }, async () => ({ object: 'list' as const, data: shown.map(payoutBody) }));
app.get('/list-by-text', { schema: list }, async (_request, reply) => answerWithPayouts(reply, shown));
finish();
after(async () => app.close());

async function answer(url: string) {
  const { statusCode, headers, rawPayload } = await app.inject(url);
  return { statusCode, type: headers['content-type'], length: headers['content-length'], bytes: rawPayload };
}

test('a payout that is written once is byte for byte what the schema makes of it, whatever its values', async () => {
  for (const payout of hostile) {
    shown = [payout];
    const expected = await answer('/by-schema');
    assert.equal(expected.statusCode, 200);
    // The second time it is not written anew.
    for (let times = 0; times < 2; times += 1) assert.deepEqual(await answer('/by-text'), expected);
  }
});

test('so is a list of them, also an empty one', async () => {
  for (const payouts of [hostile, []]) {
    shown = payouts;
    assert.deepEqual(await answer('/list-by-text'), await answer('/list-by-schema'));
  }
});
