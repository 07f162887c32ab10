import { Type } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { nothingHere } from '../../http/errors/errors.ts';
import { Query } from '../../http/schema/fields.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { fileDeadlineMs } from '../../http/limits/deadlines.ts';
import type { Server } from '../../http/server.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { ApiError } from '../../platform/api-error.ts';
import { createTtlCache } from '../../platform/ttl-cache.ts';
import { findInvoice } from '../invoices/store.ts';
import { invoiceFileName, printedFrom } from '../pdf/print-invoice.ts';
import type { InvoiceIssuer } from '../pdf/printed-invoice.ts';
import { renderInvoicePdf } from '../pdf/render-invoice.ts';
import { InvoicePath } from './invoice-path.ts';

interface InvoicePdfDeps extends Authentication {
  calls: SingleCalls;
  clock: Clock;
  issuer: InvoiceIssuer;
}

/** To draw one takes longer than to look up a hundred payouts: whoever asks for the same again gets what was drawn. */
const drawnMemory = { keepMs: 60_000, most: 200 };

const answer = {
  description: 'The invoice as a PDF.',
  headers: { 'Content-Disposition': { type: 'string', description: 'Names the file by the invoice number.' } },
  content: { 'application/pdf': { schema: Type.Unsafe<Buffer>({ type: 'string', format: 'binary' }) } },
};

export function addInvoicePdfRoutes(app: Server, deps: InvoicePdfDeps): void {
  const { calls, clock, issuer, callerOf } = deps;
  const cache = createTtlCache<Buffer>(drawnMemory);
  const schema = {
    operationId: 'getInvoicePdf',
    summary: 'Download an invoice',
    description: 'Returns the invoice as a PDF: A4, with embedded fonts, tagged for screen readers.',
    tags: ['Billing'],
    params: InvoicePath,
    querystring: Query,
    response: { 200: answer, ...keyedErrors('not_found') },
  };
  const config = {
    action: 'invoice.pdf',
    access: 'readers',
    ofBothEnvironments: true,
    deadlineMs: fileDeadlineMs,
  } as const;
  app.get('/v1/invoices/:id.pdf', { schema, config, onRequest: deps.requireCaller }, async (request, reply) => {
    const caller = callerOf(request);
    const invoice = await findInvoice(calls, caller.partnerId, request.params.id);
    if (invoice === null) throw new ApiError(nothingHere);
    const printed = printedFrom(invoice, clock.now());
    const file = await cache.get(JSON.stringify([invoice.id, printed]), async () => renderInvoicePdf(printed, issuer));
    reply.header('content-type', 'application/pdf');
    reply.header('content-disposition', `attachment; filename="${invoiceFileName(invoice)}"`);
    return reply.send(file);
  });
}
