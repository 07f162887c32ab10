import type { AnswerOf, InputOf, ItemOf, ListPath, Method, PathOf, PlainPath, QueryOf } from './described-api.ts';
import { described } from './json.ts';
import type { Kelpie, KelpieOptions, StatementPage, StatementQuery } from './kelpie.ts';
import { everyItem, nextCursor, type Page } from './pages.ts';
import { assertHeaderText, request, type CallOptions, type Connection, type RequestOptions } from './request.ts';

const defaultTimeoutMs = 30_000;

function connect({
  baseUrl,
  apiKey,
  environment,
  account,
  fetch,
  timeoutMs = defaultTimeoutMs,
}: KelpieOptions): Connection {
  if (!URL.canParse(baseUrl)) throw new TypeError('baseUrl is not an address such as https://api.example.com');
  if (apiKey !== undefined) assertHeaderText('apiKey', apiKey);
  if (account !== undefined) assertHeaderText('account', account);
  return {
    baseUrl: baseUrl.endsWith('/') ? baseUrl.slice(0, -1) : baseUrl,
    apiKey,
    environment,
    account,
    fetch: fetch ?? globalThis.fetch,
    timeoutMs,
  };
}

/** The ways in which an endpoint is asked. The path alone says what it takes and what it gives. */
function createCalls(connection: Connection) {
  async function ask<M extends Method, P extends PathOf<M>>(method: M, path: P, options: RequestOptions) {
    const answer = await request(connection, method, path, options);
    return { ...answer, json: described<AnswerOf<M, P>>(answer.json) };
  }

  async function call<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    options: RequestOptions & InputOf<M, P>,
  ) {
    return ask(method, path, options);
  }

  /** An endpoint that is only read. */
  function reading<P extends PlainPath>(path: P) {
    return { get: async (options: CallOptions = {}) => (await ask('get', path, options)).json };
  }

  function listing<P extends ListPath>(path: P) {
    async function list(filters?: QueryOf<P>, options: CallOptions = {}, cursor?: string): Promise<Page<ItemOf<P>>> {
      const query = { ...filters, ...(cursor === undefined ? {} : { cursor }) };
      const { json, headers } = await request(connection, 'get', path, { ...options, query });
      return { data: described<{ data: ItemOf<P>[] }>(json).data, next: nextCursor(headers) };
    }
    return {
      list: async (filters?: QueryOf<P>, options?: CallOptions) => list(filters, options),
      listAll: (filters?: QueryOf<P>, options?: CallOptions) =>
        everyItem(async (cursor) => list(filters, options, cursor)),
    };
  }

  return { call, reading, listing };
}

/** As many movements as a page can have: whoever reads all of them asks the fewest times. */
const movementsAtOnce = 200;

function createStatements({ call }: Pick<ReturnType<typeof createCalls>, 'call'>): Kelpie['statements'] {
  async function get(query: StatementQuery, options: CallOptions = {}): Promise<StatementPage> {
    const { json, headers } = await call('get', '/v1/statement', { ...options, query });
    return { statement: json, next: nextCursor(headers) };
  }
  return {
    get,
    listMovements: (month, options) =>
      everyItem(async (cursor) => {
        const { statement, next } = await get({ month, limit: movementsAtOnce, cursor }, options);
        return { data: statement.movements, next };
      }),
  };
}

/** The key stays in these closures: whoever prints or logs the client does not see it. */
export function createKelpie(clientOptions: KelpieOptions): Kelpie {
  const { call, reading, listing } = createCalls(connect(clientOptions));
  const listItems: Kelpie['invoices']['listItems'] = async (id, filters = {}, options = {}) => {
    const input = { ...options, path: { id }, query: { ...filters } };
    const { json, headers } = await call('get', '/v1/invoices/{id}/items', input);
    return { data: json.data, next: nextCursor(headers) };
  };
  return {
    account: {
      ...reading('/v1/account'),
      update: async (body, options) => (await call('patch', '/v1/account', { ...options, body })).json,
    },
    activity: listing('/v1/activity'),
    auth: {
      requestCode: async (body, options) => (await call('post', '/v1/auth/code', { ...options, body })).json,
      signIn: async (body, options) => (await call('post', '/v1/auth/session', { ...options, body })).json,
      getSession: async (options) => (await call('get', '/v1/auth/session', { ...options })).json,
      listAccounts: async (options) => (await call('get', '/v1/auth/accounts', { ...options })).json.data,
      switchAccount: async (body, options) => (await call('patch', '/v1/auth/session', { ...options, body })).json,
      signOut: async (options) => (await call('delete', '/v1/auth/session', { ...options })).json,
    },
    balance: reading('/v1/balance'),
    compliance: {
      ...reading('/v1/compliance'),
      startVerification: async (options) => (await call('post', '/v1/compliance/verification', { ...options })).json,
    },
    deposits: listing('/v1/deposits'),
    discovery: reading('/v1'),
    funding: reading('/v1/funding'),
    invoices: {
      ...listing('/v1/invoices'),
      get: async (id, options) => (await call('get', '/v1/invoices/{id}', { ...options, path: { id } })).json,
      listItems: async (id, filters, options) => listItems(id, filters, options),
      listAllItems: (id, filters, options) =>
        everyItem(async (cursor) =>
          listItems(id, { ...filters, ...(cursor === undefined ? {} : { cursor }) }, options),
        ),
    },
    keys: {
      ...listing('/v1/keys'),
      create: async (body, options) => (await call('post', '/v1/keys', { ...options, body })).json,
      revoke: async (id, options) => (await call('delete', '/v1/keys/{id}', { ...options, path: { id } })).json,
    },
    members: {
      ...listing('/v1/members'),
      invite: async (body, options) => (await call('post', '/v1/members', { ...options, body })).json,
      update: async (email, body, options) =>
        (await call('patch', '/v1/members/{email}', { ...options, path: { email }, body })).json,
      remove: async (email, options) =>
        (await call('delete', '/v1/members/{email}', { ...options, path: { email } })).json,
    },
    partners: {
      getPublic: async (slug, options) =>
        (await call('get', '/v1/public/partners/{slug}', { ...options, path: { slug } })).json,
    },
    payouts: {
      ...listing('/v1/payouts'),
      async create(body, options) {
        const { json, status } = await call('post', '/v1/payouts', { ...options, body });
        return { payout: json, replayed: status === 200 };
      },
      get: async (id, options) => (await call('get', '/v1/payouts/{id}', { ...options, path: { id } })).json,
      getHistory: async (id, options) =>
        (await call('get', '/v1/payouts/{id}/history', { ...options, path: { id } })).json,
      cancel: async (id, options) => (await call('post', '/v1/payouts/{id}/cancel', { ...options, path: { id } })).json,
    },
    quotes: {
      create: async (body, options) => (await call('post', '/v1/quotes', { ...options, body })).json,
    },
    recipients: listing('/v1/recipients'),
    signup: async (body, options) => (await call('post', '/v1/signup', { ...options, body })).json,
    statements: createStatements({ call }),
    usage: {
      ...reading('/v1/usage'),
      listDays: async (options) => (await call('get', '/v1/usage/days', { ...options })).json,
    },
  };
}
