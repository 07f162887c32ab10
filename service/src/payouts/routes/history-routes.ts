import { Type, type Static } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { dateTime, money, nullableText, oneOf, Query, uuid } from '../../http/schema/fields.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import type { Archive } from '../../archive/index.ts';
import { formatPounds, formatUsdc } from '../../money/amounts.ts';
import { rateAsNumber } from '../../money/rates.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { readHistory, type OwnLine, type PayoutHistory } from '../reading/read-history.ts';
import { payoutHistory } from './examples.ts';
import { ExchangeRate, FeeBreakdown, PayoutPath, statuses } from './schemas.ts';

const Step = Type.Object(
  {
    at: dateTime('When the status changed.'),
    status: oneOf(statuses, { description: 'The status from then on.' }),
    by: Type.String({
      description: 'Who changed it: the prefix of an API key, an email address, `bank`, or `worker` for Kelpie itself.',
    }),
    money_back: Type.Boolean({
      description: 'True if the status stayed the same but the money of a failed payout returned to the wallet.',
    }),
  },
  { description: 'One change of status.' },
);

const LedgerLine = Type.Object(
  {
    at: dateTime('When the entry was posted.'),
    account: oneOf(['wallet', 'invoice'], { description: 'Whether it moved your wallet or your next invoice.' }),
    direction: oneOf(['out', 'in'], {
      description: '`out`: left the wallet, or was added to the invoice. `in`: the reverse.',
    }),
    amount: money('The amount, always positive.'),
    currency: oneOf(['USDC', 'GBP'], { description: 'The currency of `amount`.' }),
    reason: Type.String({ description: 'Why the entry was posted, for example `payout.hold`. We may add reasons.' }),
    wallet_after_usdc: nullableText({ description: 'The balance of the wallet after it, in USDC. Null for invoices.' }),
  },
  { description: 'One ledger entry.' },
);

const PayoutHistorySchema = nameSchema(
  'PayoutHistory',
  Type.Object(
    {
      object: Type.Literal('payout_history', { description: 'Always `payout_history`.' }),
      payout_id: uuid('The id of the payout.'),
      created_by: Type.String({ description: 'Who created it: the prefix of an API key, or an email address.' }),
      exchange_rate: ExchangeRate,
      fee_breakdown: FeeBreakdown,
      steps: Type.Array(Step, { description: 'Every change of status, oldest first.' }),
      ledger: Type.Array(LedgerLine, { description: 'Every ledger entry on your wallet and invoice, oldest first.' }),
    },
    { description: 'How the status of a payout changed, and how it moved your money.' },
  ),
);

function lineBody({ at, account, direction, amount, reason, walletAfter }: OwnLine): Static<typeof LedgerLine> {
  return {
    at: at.toISOString(),
    account,
    direction,
    amount: account === 'wallet' ? formatUsdc(amount) : formatPounds(amount),
    currency: account === 'wallet' ? 'USDC' : 'GBP',
    reason,
    wallet_after_usdc: walletAfter === null ? null : formatUsdc(walletAfter),
  };
}

function historyBody({ payout, steps, lines }: PayoutHistory): Static<typeof PayoutHistorySchema.definition> {
  return {
    object: 'payout_history',
    payout_id: payout.id,
    created_by: payout.createdBy,
    exchange_rate: { gbp_per_usd: rateAsNumber(payout.rate) },
    fee_breakdown: {
      taken_in_transfer_gbp: formatPounds(payout.providerFee),
      on_monthly_invoice_gbp: formatPounds(payout.fee - payout.providerFee),
    },
    steps: steps.map(({ at, status, by, isRefund }) => ({ at: at.toISOString(), status, by, money_back: isRefund })),
    ledger: lines.map(lineBody),
  };
}

export function addHistoryRoutes(
  app: Server,
  { requireCaller, callerOf, ...deps }: Authentication & { pool: Pool; archive: Archive },
): void {
  addSchema(app, PayoutHistorySchema, payoutHistory);
  const schema = {
    operationId: 'getPayoutHistory',
    summary: "Retrieve a payout's history",
    description: 'Returns every change of status with its time and author, and the ledger entries of the payout.',
    tags: ['Payouts'],
    params: PayoutPath,
    querystring: Query,
    response: { 200: PayoutHistorySchema.ref, ...keyedErrors('not_found') },
  };
  const config = { action: 'payout.history', access: 'readers' } as const;
  app.get('/v1/payouts/:id/history', { schema, config, onRequest: requireCaller }, async (request) =>
    historyBody(await readHistory(deps, callerOf(request), request.params.id)),
  );
}
