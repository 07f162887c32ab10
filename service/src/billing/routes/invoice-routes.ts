import type { Readable } from 'node:stream';
import { Type, type Static } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { answerWithTable, tableFormat, wantsTable } from '../../http/schema/csv-answer.ts';
import { nothingHere } from '../../http/errors/errors.ts';
import { environmentQuery, listExample, oneOf, Query } from '../../http/schema/fields.ts';
import { cursorField, limitField } from '../../http/schema/list-query.ts';
import { nextLink, nextLinkHeader } from '../../http/schema/next-link.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { addSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import type { Archive } from '../../archive/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { NameOldPayouts } from '../../payouts/index.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { monthBefore, monthOf } from '../../platform/london-month.ts';
import { ApiError } from '../../platform/api-error.ts';
import { lineKinds, type Invoice } from '../invoices/invoice.ts';
import { listItems, placeFrom, placeText, walkItems } from '../invoices/list-items.ts';
import { findInvoice, listInvoices } from '../invoices/store.ts';
import { fileDeadlineMs } from '../../http/limits/deadlines.ts';
import { createDownloads } from '../../http/limits/downloads.ts';
import { itemCursorExample, invoiceExample, itemExample, itemsCsvExample } from './examples.ts';
import {
  invoiceBody,
  InvoiceItem,
  InvoiceItemList,
  InvoiceList,
  InvoiceSchema,
  itemBody,
  writeItems,
} from './invoice-body.ts';
import { InvoicePath } from './invoice-path.ts';

const monthsShown = 24;

/** An invoice as events show it. */
export const shownInvoice = { schema: InvoiceSchema.ref, example: invoiceExample };

const ItemsQuery = Type.Object(
  {
    ...environmentQuery,
    kind: Type.Optional(oneOf(lineKinds, { description: 'Items of this line only.', examples: ['payout_fees'] })),
    format: Type.Optional(tableFormat),
    limit: limitField({ description: 'How many to return as JSON. CSV always has all.' }),
    cursor: cursorField(patterns.itemCursor, itemCursorExample),
  },
  { additionalProperties: false },
);
type ItemsQuery = Static<typeof ItemsQuery>;

interface InvoiceDeps extends Authentication {
  calls: SingleCalls;
  archive: Archive;
  nameOldPayouts: NameOldPayouts;
  clock: Clock;
  publicUrl: string;
}

const config = (action: string) => ({ action, access: 'readers', ofBothEnvironments: true }) as const;

export function addInvoiceRoutes(app: Server, deps: InvoiceDeps): void {
  addSchema(app, InvoiceSchema, invoiceExample);
  addSchema(app, InvoiceList, listExample(invoiceExample));
  addSchema(app, InvoiceItem, itemExample);
  addSchema(app, InvoiceItemList, listExample(itemExample));
  addListRoute(app, deps);
  addReadRoute(app, deps);
  addItemsRoute(app, deps);
}

function addListRoute(app: Server, { calls, clock, requireCaller, callerOf }: InvoiceDeps): void {
  const schema = {
    operationId: 'listInvoices',
    summary: 'List invoices',
    description:
      'Returns the invoices of the last 24 months, newest first. They are issued on the 1st for the month before.',
    tags: ['Billing'],
    querystring: Query,
    response: { 200: InvoiceList.ref, ...keyedErrors() },
  };
  app.get('/v1/invoices', { schema, config: config('invoice.list'), onRequest: requireCaller }, async (request) => {
    const now = clock.now();
    const fromPeriod = monthBefore(monthOf(now), monthsShown);
    const { partnerId } = callerOf(request);
    const invoices = await listInvoices(calls, partnerId, { fromPeriod, atMost: monthsShown });
    return { object: 'list' as const, data: invoices.map((invoice) => invoiceBody(invoice, now)) };
  });
}

async function getInvoice(calls: SingleCalls, partnerId: string, id: string): Promise<Invoice> {
  const invoice = await findInvoice(calls, partnerId, id);
  if (invoice === null) throw new ApiError(nothingHere);
  return invoice;
}

function addReadRoute(app: Server, { calls, clock, requireCaller, callerOf }: InvoiceDeps): void {
  const schema = {
    operationId: 'getInvoice',
    summary: 'Retrieve an invoice',
    description: 'Returns the invoice with its lines.',
    tags: ['Billing'],
    params: InvoicePath,
    querystring: Query,
    response: { 200: InvoiceSchema.ref, ...keyedErrors('not_found') },
  };
  app.get('/v1/invoices/:id', { schema, config: config('invoice.get'), onRequest: requireCaller }, async (request) =>
    invoiceBody(await getInvoice(calls, callerOf(request).partnerId, request.params.id), clock.now()),
  );
}

function addItemsRoute(
  app: Server,
  { calls, archive, nameOldPayouts, publicUrl, requireCaller, callerOf }: InvoiceDeps,
): void {
  const schema = {
    operationId: 'listInvoiceItems',
    summary: 'List invoice items',
    description:
      'Returns every charge and credit of an invoice, or of one of its lines. They add up to the line: `taken_back` is subtracted, all others are added, and network fees are rounded once. JSON comes in pages: follow `Link` until there is none. CSV comes in one file.',
    tags: ['Billing'],
    params: InvoicePath,
    querystring: ItemsQuery,
    response: {
      200: {
        description: 'Invoice items, in the order in which they were posted.',
        headers: { Link: nextLinkHeader },
        content: {
          'application/json': { schema: InvoiceItemList.ref },
          'text/csv': {
            schema: Type.Unsafe<Readable>({ type: 'string' }),
            examples: { items: { value: itemsCsvExample } },
          },
        },
      },
      ...keyedErrors('not_found', 'invalid_request'),
    },
  };
  const options = {
    schema,
    config: { ...config('invoice.items'), deadlineMs: fileDeadlineMs },
    onRequest: requireCaller,
  };
  const download = createDownloads();
  app.get('/v1/invoices/:id/items', options, async (request, reply) => {
    const { query } = request;
    const { partnerId } = callerOf(request);
    const invoice = await getInvoice(calls, partnerId, request.params.id);
    const kind = query.kind ?? null;
    if (wantsTable(request, query.format)) {
      const file = await download(
        partnerId,
        writeItems(walkItems({ calls, archive, nameOldPayouts }, partnerId, invoice, kind)),
      );
      answerWithTable(reply, `kelpie-${invoice.period}-items.csv`);
      return reply.send(file);
    }
    const { items, next } = await listItems({ calls, archive, nameOldPayouts }, partnerId, invoice, {
      kind,
      after: query.cursor === undefined ? null : placeFrom(query.cursor),
      limit: Number(query.limit ?? 50),
    });
    if (next !== null) {
      const address = `${publicUrl}/v1/invoices/${invoice.id}/items`;
      reply.header('link', nextLink(address, { query, caller: null, cursor: placeText(next) }));
    }
    return { object: 'list' as const, data: items.map(itemBody) };
  });
}
