// The client as its users see it. client.ts makes one.
import type { Page } from './pages.ts';
import type { CallOptions } from './request.ts';
import type {
  Account,
  ActivityEntry,
  ActivityFilters,
  ApiKey,
  ApiKeyFilters,
  Balance,
  Compliance,
  CreatePayoutRequest,
  Discovery,
  Invoice,
  InvoiceFilters,
  Payout,
  PayoutCreated,
  PayoutFilters,
  PublicPartner,
  Quote,
  QuoteRequest,
  RecipientFilters,
  RecipientSummary,
  Usage,
} from './resources.ts';

interface ReachOptions {
  /** Where Kelpie is: the address that you were given, without /v1. */
  baseUrl: string;
  /** In place of the global fetch: for a proxy, or a test. */
  fetch?: typeof fetch | undefined;
  /** How long a call waits for its whole answer, unless it says otherwise: 30 seconds. */
  timeoutMs?: number | undefined;
}

interface KeyOptions {
  /** Starts with kp_sandbox_ or kp_live_, which decides the environment. */
  apiKey: string;
  environment?: undefined;
}

/** For a person who is signed in, in a browser: the session's cookie says who, and this says where. */
interface SessionOptions {
  environment: 'sandbox' | 'live';
  apiKey?: undefined;
}

export type KelpieOptions = ReachOptions & (KeyOptions | SessionOptions);

export interface CreatePayoutOptions extends CallOptions {
  /** Your own id of this payout, the same whenever you try it again: 8 to 100 letters, digits, `_`, `-`, `:`, `.` */
  idempotencyKey: string;
}

export interface CreatedPayout {
  /** As it is now; with its quote, where it was made by this very call. */
  payout: PayoutCreated;
  /** Whether the key was used before, and this is the payout that it made then. */
  replayed: boolean;
}

interface Reading<Resource> {
  get(options?: CallOptions): Promise<Resource>;
}

/** A list, the newest first. */
export interface Listing<Item, Filters> {
  /** One page; `next` is the `cursor` of the page after it. */
  list(filters?: Filters, options?: CallOptions): Promise<Page<Item>>;
  /** One item after the other, over all pages: `for await (const item of …listAll())`. */
  listAll(filters?: Filters, options?: CallOptions): AsyncIterableIterator<Item>;
}

interface Payouts extends Listing<Payout, PayoutFilters> {
  /** Pays a recipient. Repeated with the same key and body, it pays nothing twice. */
  create(body: CreatePayoutRequest, options: CreatePayoutOptions): Promise<CreatedPayout>;
  get(id: string, options?: CallOptions): Promise<Payout>;
  /** Stops a payout, where the bank still can; `payout_not_cancellable` where it can't. Safe to repeat. */
  cancel(id: string, options?: CallOptions): Promise<Payout>;
}

interface Quotes {
  /** What a payout would cost now. It binds nobody. */
  create(body: QuoteRequest, options?: CallOptions): Promise<Quote>;
}

interface Partners {
  /** What anybody may know of a partner. */
  getPublic(slug: string, options?: CallOptions): Promise<PublicPartner>;
}

/** A client of the Kelpie Payouts API. It keeps no state: make one, and share it. */
export interface Kelpie {
  account: Reading<Account>;
  /** What was asked of this account, by whom: the latest 200. */
  activity: Listing<ActivityEntry, ActivityFilters>;
  balance: Reading<Balance>;
  compliance: Reading<Compliance>;
  /** What answers, and in which version. */
  discovery: Reading<Discovery>;
  invoices: Listing<Invoice, InvoiceFilters>;
  /** The keys of this account; never their secrets. */
  keys: Listing<ApiKey, ApiKeyFilters>;
  partners: Partners;
  payouts: Payouts;
  quotes: Quotes;
  /** Who was paid of late. */
  recipients: Listing<RecipientSummary, RecipientFilters>;
  /** This month so far. */
  usage: Reading<Usage>;
}
