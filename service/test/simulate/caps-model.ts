import { dayOf, type Day } from '../../src/platform/london-day.ts';

// What the daily limits should have allowed, worked out again from the order in which each wallet changed. Every hold and
// every release has a number of its wallet, so the order of the commits is known; nothing is taken from the counters.

interface Caps {
  daily: bigint | null;
  newPayee: bigint | null;
}

/** The limits from the change of the wallet with the next number on. */
export interface CapsChange extends Caps {
  afterVersion: number;
}

export interface KeyCap {
  daily: bigint | null;
  /** Until then the key is new. */
  fullLimitAt: Date | null;
}

/** A change of a wallet that a payout caused. */
export interface Movement {
  version: number;
  /** The reason in the ledger. */
  reason: string;
  payoutId: string;
  pence: bigint;
  keyId: string | null;
  account: string;
  /** Whether the service took the account for a new payee. */
  isNewPayee: boolean;
  at: Date;
}

/** A request that was refused for a limit, or for funds. */
export interface RefusedRequest {
  pence: bigint;
  keyId: string | null;
  account: string;
  /** The days that it may have been on, and the numbers of the wallet between which it had its turn. */
  days: readonly Day[];
  versions: readonly [from: number, to: number];
  /** What the answer says; null for missing funds. */
  reported: { limit: 'daily' | 'key' | 'new_payee'; limitPence: bigint; leftPence: bigint } | null;
}

export interface PartnerLog {
  name: string;
  caps: Caps;
  changes: readonly CapsChange[];
  keys: ReadonlyMap<string, KeyCap>;
  movements: readonly Movement[];
  refusals: readonly RefusedRequest[];
}

const newKeyCap = 100_000n;
const givenBack = new Set(['payout.not_created', 'payout.rejected', 'payout.released', 'payout.cancelled']);

function keyCapAt({ daily, fullLimitAt }: KeyCap, at: Date): bigint | null {
  if (fullLimitAt === null || fullLimitAt <= at) return daily;
  return daily !== null && daily < newKeyCap ? daily : newKeyCap;
}

/** What was spent of a counter after each change of the wallet. */
type Timeline = { version: number; spent: bigint }[];

function spentAt(timeline: Timeline | undefined, version: number): bigint {
  return timeline?.findLast((point) => point.version <= version)?.spent ?? 0n;
}

const counterOf = (day: Day, subject: string): string => `${day} ${subject}`;
const subjects = {
  daily: () => 'daily',
  key: ({ keyId }: { keyId: string | null }) => `key ${keyId}`,
  new_payee: ({ account }: { account: string }) => `payee ${account}`,
} as const;

/** Replays one wallet, and keeps what each counter stood at. */
class Replay {
  readonly timelines = new Map<string, Timeline>();
  readonly violations: string[] = [];
  readonly #log: PartnerLog;
  readonly #held = new Map<string, { day: Day; subjects: string[] }>();

  constructor(log: PartnerLog) {
    this.#log = log;
    for (const movement of log.movements.toSorted((one, other) => one.version - other.version)) {
      if (movement.reason === 'payout.hold') this.#hold(movement);
      else this.#release(movement);
    }
  }

  /** The limits that a hold with this number was judged by. */
  capsBefore(version: number): Caps {
    return this.#log.changes.findLast(({ afterVersion }) => afterVersion < version) ?? this.#log.caps;
  }

  /** All limits that were in force while the wallet stood at this number. */
  capsWhile(version: number): Caps[] {
    return [this.capsBefore(version), ...this.#log.changes.filter(({ afterVersion }) => afterVersion === version)];
  }

  keyCap(keyId: string | null, at: Date): bigint | null {
    const cap = keyId === null ? undefined : this.#log.keys.get(keyId);
    return cap === undefined ? null : keyCapAt(cap, at);
  }

  #add(counter: string, version: number, pence: bigint): bigint {
    const timeline = this.timelines.get(counter) ?? [];
    const spent = (timeline.at(-1)?.spent ?? 0n) + pence;
    timeline.push({ version, spent });
    this.timelines.set(counter, timeline);
    return spent;
  }

  #hold(movement: Movement): void {
    const { version, pence, keyId, payoutId, isNewPayee, at } = movement;
    const day = dayOf(at);
    const { daily, newPayee } = this.capsBefore(version);
    const counted: [subject: string, cap: bigint | null][] = [
      [subjects.daily(), daily],
      ...(keyId === null ? [] : [[subjects.key(movement), this.keyCap(keyId, at)] as [string, bigint | null]]),
      ...(isNewPayee ? [[subjects.new_payee(movement), newPayee] as [string, bigint | null]] : []),
    ];
    this.#held.set(payoutId, { day, subjects: counted.map(([subject]) => subject) });
    for (const [subject, cap] of counted) {
      const spent = this.#add(counterOf(day, subject), version, pence);
      if (cap !== null && spent > cap)
        this.violations.push(
          `${this.#log.name}: payout ${payoutId} brings ${subject} to ${spent} pence on ${day}, over ${cap}`,
        );
    }
  }

  #release({ version, reason, payoutId, pence, at }: Movement): void {
    const held = this.#held.get(payoutId);
    if (held === undefined || !givenBack.has(reason) || dayOf(at) !== held.day) return;
    this.#held.delete(payoutId);
    for (const subject of held.subjects) this.#add(counterOf(held.day, subject), version, -pence);
  }
}

/** Whether the limits and what was spent at this number of the wallet lead to what was answered. */
function explains(replay: Replay, refusal: RefusedRequest, { version, day, caps, at }: Turn): boolean {
  const { reported, pence, keyId } = refusal;
  const leftOf = (cap: bigint | null, subject: string): bigint | null =>
    cap === null ? null : cap - spentAt(replay.timelines.get(counterOf(day, subject)), version);
  const limits = {
    daily: { cap: caps.daily, left: leftOf(caps.daily, subjects.daily()) },
    key: { cap: replay.keyCap(keyId, at), left: leftOf(replay.keyCap(keyId, at), subjects.key(refusal)) },
    new_payee: { cap: caps.newPayee, left: leftOf(caps.newPayee, subjects.new_payee(refusal)) },
  };
  // Whether the account was still new is not known to the moment, so that limit is asked only where the answer names it.
  const certain = [limits.daily.left, limits.key.left].filter((left) => left !== null);
  if (reported === null) return certain.every((left) => left >= pence);
  const { cap, left } = limits[reported.limit];
  if (cap !== reported.limitPence || left === null || left >= pence) return false;
  return (left < 0n ? 0n : left) === reported.leftPence && certain.every((other) => other >= left);
}

interface Turn {
  version: number;
  day: Day;
  caps: Caps;
  at: Date;
}

/** At noon of a day a key is as new as at its beginning, or no longer: both are tried. */
function momentsOf(day: Day, log: PartnerLog): Date[] {
  const ends = [...log.keys.values()].flatMap(({ fullLimitAt }) => fullLimitAt ?? []);
  return [new Date(0), ...ends, new Date(`${day}T12:00:00Z`)];
}

function judgeRefusal(log: PartnerLog, replay: Replay, refusal: RefusedRequest): string[] {
  const [from, to] = refusal.versions;
  for (let version = from; version <= to; version += 1)
    for (const day of refusal.days)
      for (const caps of replay.capsWhile(version))
        for (const at of momentsOf(day, log)) if (explains(replay, refusal, { version, day, caps, at })) return [];
  const { reported, pence } = refusal;
  const what =
    reported === null
      ? 'for missing funds'
      : `with ${reported.leftPence} of ${reported.limitPence} left of ${reported.limit}`;
  return [`${log.name}: ${pence} pence were refused ${what}, which was so at no moment from change ${from} to ${to}`];
}

/** What each counter must say in the end, by day and subject; without those at zero. */
export function judgeCaps(log: PartnerLog): { violations: string[]; counters: Map<string, bigint> } {
  const replay = new Replay(log);
  const counters = new Map(
    [...replay.timelines].flatMap(([counter, timeline]) => {
      const spent = timeline.at(-1)?.spent ?? 0n;
      return spent === 0n ? [] : [[counter, spent] as const];
    }),
  );
  const refused = log.refusals.flatMap((refusal) => judgeRefusal(log, replay, refusal));
  return { violations: [...replay.violations, ...refused], counters };
}

/** Where the service's counters and the model's differ. */
export function compareCounters(
  name: string,
  ours: ReadonlyMap<string, bigint>,
  model: ReadonlyMap<string, bigint>,
): string[] {
  const all = new Set([...ours.keys(), ...model.keys()]);
  return [...all]
    .filter((counter) => (ours.get(counter) ?? 0n) !== (model.get(counter) ?? 0n))
    .map(
      (counter) =>
        `${name}: ${counter} is counted as ${ours.get(counter) ?? 0n} pence, not ${model.get(counter) ?? 0n}`,
    );
}
