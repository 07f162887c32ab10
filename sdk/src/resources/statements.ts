import type { Calls } from '../calls.ts';
import type { Schema } from '../described-api.ts';
import type { Download } from '../download.ts';
import { everyItem, nextCursor } from '../pages.ts';
import { withRequestId } from '../request-id.ts';
import type { CallOptions } from '../request.ts';

export interface Movement extends Schema<'Movement'> {}
export interface Statement extends Schema<'Statement'> {}

export interface StatementQuery {
  /** A month by the clocks of London, as `2026-11`. */
  month: string;
  /** How many movements a page has: 1 to 200, without it 50. */
  limit?: number | undefined;
  cursor?: string | undefined;
}

export interface StatementPage {
  /** The balances are the month's, the movements this page's. */
  statement: Statement;
  /** The `cursor` of the next page; undefined on the last. */
  next: string | undefined;
}

/** A month of the wallet: what it held, every movement, what it held then. */
export interface StatementsResource {
  get(query: StatementQuery, options?: CallOptions): Promise<StatementPage>;
  /** Every movement of a month, the oldest first, over all pages. */
  listMovements(month: string, options?: CallOptions): AsyncIterableIterator<Movement>;
  /** The whole month as CSV; its last line is the closing balance. */
  downloadCsv(month: string, options?: CallOptions): Promise<Download>;
}

/** As many movements as a page can have: whoever reads all of them asks the fewest times. */
const movementsAtOnce = 200;

export default function createStatements({ call, download }: Calls): StatementsResource {
  async function get(query: StatementQuery, options: CallOptions = {}): Promise<StatementPage> {
    const { json, headers } = await call('get', '/v1/statement', { ...options, query });
    return withRequestId({ statement: json, next: nextCursor(headers) }, headers);
  }
  return {
    get,
    listMovements: (month, options) =>
      everyItem(async (cursor) => {
        const { statement, next } = await get({ month, limit: movementsAtOnce, cursor }, options);
        return { data: statement.movements, next };
      }),
    downloadCsv: async (month, options) => download('/v1/statement', { ...options, query: { month, format: 'csv' } }),
  };
}
