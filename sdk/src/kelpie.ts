// The client as its users see it. client.ts makes one.
import type { Page } from './pages.ts';
import type { CallOptions } from './request.ts';
import type {
  Account,
  ActivityEntry,
  ActivityFilters,
  ApiKey,
  ApiKeyCreated,
  ApiKeyFilters,
  ApiKeyRevoked,
  Balance,
  ChangeMemberRequest,
  Compliance,
  CreateKeyRequest,
  CreatePayoutRequest,
  Deposit,
  DepositFilters,
  Discovery,
  EnterAccountRequest,
  Funding,
  Invoice,
  InvoiceFilters,
  InvoiceItem,
  InvoiceItemFilters,
  InviteMemberRequest,
  Member,
  MemberFilters,
  MemberRemoved,
  Movement,
  OwnAccount,
  Payout,
  PayoutCreated,
  PayoutFilters,
  PayoutHistory,
  PublicPartner,
  Quote,
  QuoteRequest,
  RecipientFilters,
  RecipientSummary,
  Session,
  SessionEnded,
  SignInCode,
  SignInCodeRequest,
  SignInRequest,
  SignUpRequest,
  Statement,
  UpdateAccountRequest,
  Usage,
  UsageDayList,
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
  account?: undefined;
}

/** For a person who is signed in, in a browser: the session's cookie says who, and this says where. */
interface SessionOptions {
  environment: 'sandbox' | 'live';
  /** The id of the account that the page is of: once the browser is signed in to another, calls are refused (`session_changed`). */
  account?: string | undefined;
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

interface Accounts extends Reading<Account> {
  /** For an admin who is signed in. What is left out stays as it is; null takes it away. */
  update(body: UpdateAccountRequest, options?: CallOptions): Promise<Account>;
}

/** The keys of both environments. Making and revoking them is for an admin who is signed in. */
interface Keys extends Listing<ApiKey, ApiKeyFilters> {
  /** The only answer that has the secret. */
  create(body: CreateKeyRequest, options?: CallOptions): Promise<ApiKeyCreated>;
  /** Safe to repeat. */
  revoke(id: string, options?: CallOptions): Promise<ApiKeyRevoked>;
}

/** The people of the account, for whoever is signed in; only admins change them. Those who came first come first. */
interface Members extends Listing<Member, MemberFilters> {
  invite(body: InviteMemberRequest, options?: CallOptions): Promise<Member>;
  /** `last_admin` where nobody else is one. */
  update(email: string, body: ChangeMemberRequest, options?: CallOptions): Promise<Member>;
  /** Ends all their sessions; `last_admin` where nobody else is one. */
  remove(email: string, options?: CallOptions): Promise<MemberRemoved>;
}

interface Payouts extends Listing<Payout, PayoutFilters> {
  /** Pays a recipient. Repeated with the same key and body, it pays nothing twice. */
  create(body: CreatePayoutRequest, options: CreatePayoutOptions): Promise<CreatedPayout>;
  get(id: string, options?: CallOptions): Promise<Payout>;
  /** Every state with who and when, and what it did to your money. */
  getHistory(id: string, options?: CallOptions): Promise<PayoutHistory>;
  /** Stops a payout, where the bank still can; `payout_not_cancellable` where it can't. Safe to repeat. */
  cancel(id: string, options?: CallOptions): Promise<Payout>;
}

interface Invoices extends Listing<Invoice, InvoiceFilters> {
  get(id: string, options?: CallOptions): Promise<Invoice>;
  /** The payouts and charges behind it, or behind one of its lines: they sum to it. */
  listItems(id: string, filters?: InvoiceItemFilters, options?: CallOptions): Promise<Page<InvoiceItem>>;
  listAllItems(id: string, filters?: InvoiceItemFilters, options?: CallOptions): AsyncIterableIterator<InvoiceItem>;
}

interface Quotes {
  /** What a payout would cost now. It binds nobody. */
  create(body: QuoteRequest, options?: CallOptions): Promise<Quote>;
}

/** A month of the wallet: what it held, every movement, what it held then. */
interface Statements {
  get(query: StatementQuery, options?: CallOptions): Promise<StatementPage>;
  /** Every movement of a month, the oldest first, over all pages. */
  listMovements(month: string, options?: CallOptions): AsyncIterableIterator<Movement>;
}

interface ComplianceCalls extends Reading<Compliance> {
  /** Starts the verification of the business, or looks at it again. For an admin who is signed in. Safe to repeat. */
  startVerification(options?: CallOptions): Promise<Compliance>;
}

interface UsageCalls extends Reading<Usage> {
  /** The last 30 days, the oldest first. */
  listDays(options?: CallOptions): Promise<UsageDayList>;
}

interface Partners {
  /** What anybody may know of a partner. */
  getPublic(slug: string, options?: CallOptions): Promise<PublicPartner>;
}

/** For people, in a browser: the session is a cookie, which no program sees. */
interface Auth {
  /** Has a code mailed to a member. The answer is the same for an address that is nobody's. */
  requestCode(body: SignInCodeRequest, options?: CallOptions): Promise<SignInCode>;
  /** Trades a code for a session; `invalid_code` where it is wrong, over or used. */
  signIn(body: SignInRequest, options?: CallOptions): Promise<Session>;
  /** Who is signed in. */
  getSession(options?: CallOptions): Promise<Session>;
  /** The accounts that whoever is signed in is a member of. */
  listAccounts(options?: CallOptions): Promise<OwnAccount[]>;
  /** Goes to another of them, without another code: the session becomes one of that account. */
  switchAccount(body: EnterAccountRequest, options?: CallOptions): Promise<Session>;
  signOut(options?: CallOptions): Promise<SessionEnded>;
}

/** A client of the Kelpie Payouts API. It keeps no state: make one, and share it. */
export interface Kelpie {
  account: Accounts;
  /** What was asked of this account, by whom: the latest 200. */
  activity: Listing<ActivityEntry, ActivityFilters>;
  auth: Auth;
  balance: Reading<Balance>;
  compliance: ComplianceCalls;
  /** What was sent to top up the wallet. */
  deposits: Listing<Deposit, DepositFilters>;
  /** What answers, and in which version. */
  discovery: Reading<Discovery>;
  /** Where to send a top-up. */
  funding: Reading<Funding>;
  /** Of the last 24 months. */
  invoices: Invoices;
  /** The keys of this account; a list never has their secrets. */
  keys: Keys;
  members: Members;
  partners: Partners;
  payouts: Payouts;
  quotes: Quotes;
  /** Who was paid of late. */
  recipients: Listing<RecipientSummary, RecipientFilters>;
  /** Has a code mailed with which the account is opened: by `auth.signIn`. */
  signup(body: SignUpRequest, options?: CallOptions): Promise<SignInCode>;
  statements: Statements;
  /** This month so far. */
  usage: UsageCalls;
}
