import { Type } from 'typebox';
import type { Authentication } from '../../http/authentication.ts';
import { Id, listOf, MoneyString, nullableInstant, Query } from '../../http/fields.ts';
import { keyedRefusals } from '../../http/responses.ts';
import { nameSchema } from '../../http/schemas.ts';
import type { Server } from '../../http/server.ts';
import { formatPounds } from '../../money/amounts.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { countedMemory, createShortMemory, partnerKey } from '../../platform/short-memory.ts';
import { readUsage, type Usage } from '../store.ts';

const UsageSchema = nameSchema(
  'Usage',
  Type.Object(
    {
      object: Type.Literal('usage'),
      period_start: Type.String({ format: 'date' }),
      payouts: Type.Object({
        count: Type.Integer({ description: 'Made in the period.' }),
        completed: Type.Integer({ description: 'Arrived in the period; the sums are of these.' }),
        paid_to_sellers_gbp: MoneyString,
        fees_gbp: MoneyString,
      }),
      invoice_so_far: Type.Object({
        lines: Type.Array(Type.Object({ kind: Type.String(), amount_gbp: MoneyString })),
        total_gbp: MoneyString,
      }),
    },
    { description: 'The calendar month so far, by the clocks of London. Sandbox is never charged.' },
  ),
);

const Invoice = nameSchema(
  'Invoice',
  Type.Object({
    id: Id,
    period: Type.String({ description: 'The month, as 2026-11.' }),
    status: Type.String({ description: 'draft, issued, paid, overdue or void.' }),
    total_gbp: MoneyString,
    issued_at: nullableInstant(),
    due_at: nullableInstant(),
    lines: Type.Array(
      Type.Object({
        kind: Type.String(),
        description: Type.String(),
        quantity: Type.Integer(),
        unit_price_gbp: MoneyString,
        amount_gbp: MoneyString,
      }),
    ),
  }),
);
const InvoiceList = nameSchema(
  'InvoiceList',
  listOf(Invoice.ref, { description: 'Of the last 24 months, newest first.' }),
);

interface BillingParts extends Authentication {
  calls: SingleCalls;
  clock: Clock;
}

export function addBillingRoutes(app: Server, { calls, clock, requireCaller, callerOf }: BillingParts): void {
  for (const { definition } of [UsageSchema, Invoice, InvoiceList]) app.addSchema(definition);
  const memory = createShortMemory<Usage>(countedMemory);
  const usageSchema = {
    operationId: 'getUsage',
    summary: 'This month so far',
    tags: ['Billing'],
    querystring: Query,
    response: { 200: UsageSchema.ref, ...keyedRefusals() },
  };
  app.get(
    '/v1/usage',
    { schema: usageSchema, config: { action: 'usage.get', access: 'readers' }, onRequest: requireCaller },
    async (request) => {
      const caller = callerOf(request);
      const usage = await memory.get(partnerKey(caller), async () => readUsage(calls, caller, clock.now()));
      const { periodStart, created, completed, paid, fees } = usage;
      return {
        object: 'usage' as const,
        period_start: periodStart,
        payouts: { count: created, completed, paid_to_sellers_gbp: formatPounds(paid), fees_gbp: formatPounds(fees) },
        // Nothing is charged yet, in either environment: so this is true of both.
        invoice_so_far: { lines: [], total_gbp: '0.00' },
      };
    },
  );
  const invoices = {
    operationId: 'listInvoices',
    summary: 'Your invoices',
    tags: ['Billing'],
    querystring: Query,
    response: { 200: InvoiceList.ref, ...keyedRefusals() },
  };
  app.get(
    '/v1/invoices',
    {
      schema: invoices,
      config: { action: 'invoice.list', access: 'readers', ofBothEnvironments: true },
      onRequest: requireCaller,
    },
    async () => ({
      object: 'list' as const,
      // None has been issued yet.
      data: [],
    }),
  );
}
