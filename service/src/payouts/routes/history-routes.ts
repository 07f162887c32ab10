import { Type, type Static } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { Id, Instant, MoneyString, nullableText, oneOf, Query } from '../../http/schema/fields.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { formatPounds, formatUsdc } from '../../money/amounts.ts';
import { rateAsNumber } from '../../money/rates.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { readHistory, type OwnLine, type PayoutHistory } from '../reading/read-history.ts';

const Step = Type.Object({
  at: Instant,
  status: oneOf(['pending', 'processing', 'completed', 'failed', 'cancelled', 'returned']),
  by: Type.String({ description: 'The start of an API key, an email address, `bank`, or `worker` for Kelpie itself.' }),
  money_back: Type.Boolean({ description: 'The status stayed, and the money of a failed payout came back.' }),
});

const LedgerLine = Type.Object({
  at: Instant,
  account: oneOf(['wallet', 'invoice']),
  direction: oneOf(['out', 'in'], { description: '`out` leaves the wallet, or is put on the invoice.' }),
  amount: MoneyString,
  currency: oneOf(['USDC', 'GBP']),
  reason: Type.String(),
  wallet_after_usdc: nullableText({ description: 'What the wallet held then.' }),
});

const HistorySchema = nameSchema(
  'PayoutHistory',
  Type.Object(
    {
      object: Type.Literal('payout_history'),
      payout_id: Id,
      created_by: Type.String({ description: 'The start of an API key, or an email address.' }),
      exchange_rate: Type.Object({ gbp_per_usd: Type.Number() }),
      fee_breakdown: Type.Object({ taken_in_transfer_gbp: MoneyString, on_monthly_invoice_gbp: MoneyString }),
      steps: Type.Array(Step),
      ledger: Type.Array(LedgerLine),
    },
    { description: 'Every state of a payout with who and when, oldest first, and what it did to your money.' },
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

function historyBody({ payout, steps, lines }: PayoutHistory): Static<typeof HistorySchema.definition> {
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
  { pool, requireCaller, callerOf }: Authentication & { pool: Pool },
): void {
  app.addSchema(HistorySchema.definition);
  const schema = {
    operationId: 'getPayoutHistory',
    summary: 'How a payout came to where it is',
    tags: ['Payouts'],
    params: Type.Object({ id: Type.String({ pattern: patterns.uuid }) }),
    querystring: Query,
    response: { 200: HistorySchema.ref, ...keyedErrors('not_found') },
  };
  const config = { action: 'payout.history', access: 'readers' } as const;
  app.get('/v1/payouts/:id/history', { schema, config, onRequest: requireCaller }, async (request) =>
    historyBody(await readHistory(pool, callerOf(request), request.params.id)),
  );
}
