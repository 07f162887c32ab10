// The ways in which an endpoint is called. The path alone says what it takes and what it gives.
import type { AnswerOf, InputOf, ItemOf, ListPath, Method, PathOf, PlainPath, QueryOf } from './described-api.ts';
import { described, isObject, valueOf } from './json.ts';
import type { Connection } from './connection.ts';
import { openDownload, type Download } from './download.ts';
import { everyItem, pageOf, type Page } from './pages.ts';
import { withRequestId } from './request-id.ts';
import { request, type CallOptions, type RequestOptions } from './request.ts';

/** A resource that an account has one of. */
export interface Reading<Resource> {
  get(options?: CallOptions): Promise<Resource>;
}

/** A list, the newest first. */
export interface Listing<Item, Filters> {
  /** One page; `next` is the `cursor` of the page after it. */
  list(filters?: Filters, options?: CallOptions): Promise<Page<Item>>;
  /** One item after the other, over all pages: `for await (const item of …listAll())`. */
  listAll(filters?: Filters, options?: CallOptions): AsyncIterableIterator<Item>;
}

export type Calls = ReturnType<typeof createCalls>;

export function createCalls(connection: Connection) {
  async function send<M extends Method, P extends PathOf<M>>(method: M, path: P, options: RequestOptions) {
    const answer = await request(connection, method, path, options);
    // Some calls return the list alone.
    for (const result of [answer.json, valueOf(answer.json, 'data')])
      if (isObject(result)) withRequestId(result, answer.headers);
    return { ...answer, json: described<AnswerOf<M, P>>(answer.json) };
  }

  async function call<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    options: RequestOptions & InputOf<M, P>,
  ) {
    return send(method, path, options);
  }

  /** An endpoint that is only read. */
  function reading<P extends PlainPath>(path: P): Reading<AnswerOf<'get', P>> {
    return { get: async (options: CallOptions = {}) => (await send('get', path, options)).json };
  }

  function listing<P extends ListPath>(path: P): Listing<ItemOf<P>, QueryOf<P>> {
    async function list(filters?: QueryOf<P>, options: CallOptions = {}, cursor?: string): Promise<Page<ItemOf<P>>> {
      const query = { ...filters, ...(cursor === undefined ? {} : { cursor }) };
      const { json, headers } = await request(connection, 'get', path, { ...options, query });
      return pageOf(described<{ data: ItemOf<P>[] }>(json).data, headers);
    }
    return {
      list: async (filters, options) => list(filters, options),
      listAll: (filters, options) => everyItem(async (cursor) => list(filters, options, cursor)),
    };
  }

  async function download(path: PathOf<'get'>, options: RequestOptions): Promise<Download> {
    return openDownload(connection, path, options);
  }

  return { call, reading, listing, download };
}
