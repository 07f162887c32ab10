import type { Calls } from '../calls.ts';
import type { Schema } from '../described-api.ts';
import type { CallOptions } from '../request.ts';

export interface Quote extends Schema<'Quote'> {}
export interface QuoteRequest extends Schema<'QuoteRequest'> {}

export interface QuotesResource {
  /** What a payout would cost now. Not binding. */
  create(body: QuoteRequest, options?: CallOptions): Promise<Quote>;
}

export default function createQuotes({ call }: Calls): QuotesResource {
  return {
    create: async (body, options) => (await call('post', '/v1/quotes', { ...options, body, effect: 'none' })).json,
  };
}
