import type { Calls, Listing } from '../calls.ts';
import type { QueryOf, Schema } from '../described-api.ts';
import type { Download } from '../download.ts';
import { everyItem, pageOf, type Page } from '../pages.ts';
import type { CallOptions } from '../request.ts';

export interface Invoice extends Schema<'Invoice'> {}
export interface InvoiceItem extends Schema<'InvoiceItem'> {}
export interface InvoiceFilters extends QueryOf<'/v1/invoices'> {}
export interface InvoiceItemFilters {
  /** The items of this line alone. */
  kind?: InvoiceItem['kind'] | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** Of the last 24 months. */
export interface InvoicesResource extends Listing<Invoice, InvoiceFilters> {
  get(id: string, options?: CallOptions): Promise<Invoice>;
  /** The payouts and charges behind it, or behind one of its lines: they sum to it. */
  listItems(id: string, filters?: InvoiceItemFilters, options?: CallOptions): Promise<Page<InvoiceItem>>;
  listAllItems(id: string, filters?: InvoiceItemFilters, options?: CallOptions): AsyncIterableIterator<InvoiceItem>;
  /** All items as CSV, or those of one line. */
  downloadItemsCsv(id: string, filters?: Pick<InvoiceItemFilters, 'kind'>, options?: CallOptions): Promise<Download>;
  downloadPdf(id: string, options?: CallOptions): Promise<Download>;
}

export default function createInvoices({ call, listing, download }: Calls): InvoicesResource {
  const listItems: InvoicesResource['listItems'] = async (id, filters = {}, options = {}) => {
    const input = { ...options, path: { id }, query: { ...filters } };
    const { json, headers } = await call('get', '/v1/invoices/{id}/items', input);
    return pageOf(json.data, headers);
  };
  return {
    ...listing('/v1/invoices'),
    get: async (id, options) => (await call('get', '/v1/invoices/{id}', { ...options, path: { id } })).json,
    listItems,
    listAllItems: (id, filters, options) =>
      everyItem(async (cursor) => listItems(id, { ...filters, ...(cursor === undefined ? {} : { cursor }) }, options)),
    downloadItemsCsv: async (id, filters, options) =>
      download('/v1/invoices/{id}/items', { ...options, path: { id }, query: { ...filters, format: 'csv' } }),
    downloadPdf: async (id, options) => download('/v1/invoices/{id}.pdf', { ...options, path: { id } }),
  };
}
