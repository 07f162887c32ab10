// The two ways in which a call fails: Kelpie said no, or it is not known what Kelpie did.
import type { Schema } from './described-api.ts';
import { listOf, textOf } from './json.ts';

type DescribedError = Schema<'Error'>['error'];

/** Every code that this version knows. A later API may say others: handle them by their `status`. */
export type ErrorCode = DescribedError['code'];

/** One thing that is wrong with a request: where, and the rule that it breaks. */
export interface FieldProblem {
  path: string;
  rule: string;
}

/** What the wallet lacks for a payout, in USDC. */
export interface Shortfall {
  availableUsdc: string;
  requiredUsdc: string;
  shortfallUsdc: string;
}

/** The limits that a payout can pass: the account's, the API key's, and that of a recipient never paid before. */
const limitKinds = ['daily', 'key', 'new_payee'] as const;

/** A limit that a payout would have passed. */
export interface ExceededLimit {
  limit: (typeof limitKinds)[number];
  limitGbp: string;
  /** What can still be paid before it resets. */
  leftGbp: string;
  resetsAt: string;
}

/** Why a payout was not created. */
const notCreatedReasons = ['bank_unreachable', 'bank_refused', 'rate_stale', 'payments_paused', 'recovery'] as const;

export type NotCreatedReason = (typeof notCreatedReasons)[number];

export interface KelpieErrorInit {
  /** Also one that this version does not know. */
  code: string;
  message: string;
  status: number;
  details?: unknown;
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
  isOutcomeUnknown?: boolean | undefined;
}

/** What every refusal has, whatever its code. */
class RefusedCall extends Error {
  override readonly name = 'KelpieError';
  readonly code: string;
  /** The HTTP status: each code has one. */
  readonly status: number;
  readonly details: unknown;
  /** Quote it when you write to us. */
  readonly requestId: string | undefined;
  /** When it is worth asking again, where Kelpie knows. */
  readonly retryAfterSeconds: number | undefined;
  /**
   * Whether the change may have been made in spite of this error: a 5xx does not say, and an earlier attempt of the same call may
   * have succeeded unheard. Then repeat the call with the same key, and never under a new one. Always false for a read.
   */
  readonly isOutcomeUnknown: boolean;

  constructor(init: KelpieErrorInit) {
    super(init.message);
    this.code = init.code;
    this.status = init.status;
    this.details = init.details;
    this.requestId = init.requestId;
    this.retryAfterSeconds = init.retryAfterSeconds;
    this.isOutcomeUnknown = init.isOutcomeUnknown ?? false;
  }

  /** Everything that is wrong with the request, at once; empty where that is not what is wrong. */
  get fields(): FieldProblem[] {
    return listOf(this.details, 'fields').map((field) => ({
      path: textOf(field, 'path') ?? '',
      rule: textOf(field, 'rule') ?? '',
    }));
  }

  /** For `invalid_recipient`: each missing or malformed field with its rule, as "recipient.bank.sort_code (6 digits)". */
  get missing(): string[] {
    return listOf(this.details, 'missing').map(String);
  }

  /** For `payout_not_created`: why. Nothing was sent in any case. */
  get notCreatedReason(): NotCreatedReason | undefined {
    const reason = this.code === 'payout_not_created' ? textOf(this.details, 'reason') : undefined;
    return notCreatedReasons.find((known) => known === reason);
  }

  /** For `limit_exceeded`: which limit, what is left of it, and when it resets. */
  get exceededLimit(): ExceededLimit | undefined {
    const named = textOf(this.details, 'limit');
    const limit = limitKinds.find((kind) => kind === named);
    const limitGbp = textOf(this.details, 'limit_gbp');
    const leftGbp = textOf(this.details, 'left_gbp');
    const resetsAt = textOf(this.details, 'resets_at');
    if (limit === undefined || limitGbp === undefined || leftGbp === undefined || resetsAt === undefined)
      return undefined;
    return { limit, limitGbp, leftGbp, resetsAt };
  }

  /** For `insufficient_funds`: what a top-up has to cover. */
  get shortfall(): Shortfall | undefined {
    const availableUsdc = textOf(this.details, 'available_usdc');
    const requiredUsdc = textOf(this.details, 'required_usdc');
    const shortfallUsdc = textOf(this.details, 'shortfall_usdc');
    if (availableUsdc === undefined || requiredUsdc === undefined || shortfallUsdc === undefined) return undefined;
    return { availableUsdc, requiredUsdc, shortfallUsdc };
  }
}

type DetailsOf<Error> = Error extends { details: infer Details } ? Details : unknown;

/** One member for each form that the description gives an error. */
type ErrorOf<Error> = Error extends { code: infer Code }
  ? RefusedCall & { readonly code: Code; readonly details: DetailsOf<Error> }
  : never;

/**
 * Kelpie answered, and said no. Write your code against `code`: where it is compared, the type of `details` is known. `message`
 * is for people and may be reworded.
 */
export type KelpieError = ErrorOf<DescribedError>;

interface KelpieErrorConstructor {
  new (init: KelpieErrorInit): KelpieError;
  readonly prototype: KelpieError;
}

function givesTheUnion(constructor: object): constructor is KelpieErrorConstructor {
  return constructor === RefusedCall;
}

function constructorOfUnion(): KelpieErrorConstructor {
  const refusal: object = RefusedCall;
  if (!givesTheUnion(refusal)) throw new TypeError('it is the class itself');
  return refusal;
}

/** A constructor of a union: `instanceof` then gives the union, in which a code tells the details apart. */
export const KelpieError: KelpieErrorConstructor = constructorOfUnion();

/**
 * `network`: no connection, or one that broke. `timeout`: no whole answer in time. `aborted`: your signal ended the call.
 * `unreadable`: what answered was not Kelpie, but a proxy on the way, say.
 */
export type UnreachableReason = 'network' | 'timeout' | 'aborted' | 'unreadable';

export interface KelpieUnreachableInit {
  reason: UnreachableReason;
  /** The HTTP status, where something answered. */
  status?: number | undefined;
  idempotencyKey?: string | undefined;
  isSafeToRepeat?: boolean | undefined;
  cause?: unknown;
}

const whatHappened: Readonly<Record<UnreachableReason, string>> = {
  network: 'Kelpie did not respond.',
  timeout: 'Kelpie did not respond in time.',
  aborted: 'The call was aborted by its signal before Kelpie responded.',
  unreadable: 'The response could not be read, so it was not from Kelpie.',
};

function whatToDo({ idempotencyKey, isSafeToRepeat }: KelpieUnreachableInit): string {
  if (idempotencyKey !== undefined)
    return (
      'The outcome is unknown: the payout may exist. ' +
      'Repeat it with the same Idempotency-Key and the same body. The recipient is never paid twice.'
    );
  if (isSafeToRepeat === true) return 'It is safe to call again.';
  return 'The outcome is unknown, and a second call could do it twice. Check whether it was done before you call again.';
}

/** The outcome is unknown. Repeat a payout with the same Idempotency-Key, never with a new one. */
export class KelpieUnreachable extends Error {
  override readonly name = 'KelpieUnreachable';
  readonly reason: UnreachableReason;
  readonly status: number | undefined;
  /** Repeat the payout with it; undefined for other calls. */
  readonly idempotencyKey: string | undefined;
  /** Whether the same call can be made again without harm: a read, or one with an idempotency key. */
  readonly isSafeToRepeat: boolean;

  constructor(init: KelpieUnreachableInit) {
    const { reason, status, idempotencyKey, isSafeToRepeat = idempotencyKey !== undefined, cause } = init;
    super(`${whatHappened[reason]} ${whatToDo(init)}`, cause === undefined ? {} : { cause });
    this.reason = reason;
    this.status = status;
    this.idempotencyKey = idempotencyKey;
    this.isSafeToRepeat = isSafeToRepeat;
  }
}
