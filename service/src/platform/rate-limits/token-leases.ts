/** How fast a bucket of tokens fills, and how many it holds. A request takes one. */
export interface RateRule {
  perSecond: number;
  burst: number;
}

/** What the shared bucket gave, what is left in it, and by how much its limits are raised. */
export interface Lease {
  granted: number;
  left: number;
  factor: number;
}

export type Verdict =
  | { kind: 'granted'; limit: number; remaining: number; resetSeconds: number }
  | { kind: 'refused'; limit: number; remaining: 0; resetSeconds: number; retryAfterSeconds: number }
  /** The shared bucket could not be asked. A limit is then no reason to refuse. */
  | { kind: 'unknown' };

export interface TokenLeases {
  /** Takes one token: at once where some are in hand, otherwise when the lease is there. It never rejects. */
  take(id: string): Verdict | Promise<Verdict>;
}

interface TokenLeasesDeps {
  rule: RateRule;
  lease: (id: string, wanted: number) => Promise<Lease>;
  /** Milliseconds, as `performance.now` gives them. */
  now: () => number;
  /** Has something done a little later: leases that nobody waits for yet are gathered, and so are one call. */
  later?: (work: () => void) => void;
}

interface Bucket {
  id: string;
  /** Leased and not spent. They do not expire: who asks once a second would otherwise cost a lease each time. */
  inHand: number;
  /** What the shared bucket held at `leftAt`. */
  left: number;
  leftAt: number;
  limit: number;
  perSecond: number;
  lot: number;
  waiting: number;
  asking: Promise<void> | null;
  /** Until when it is not asked again. */
  quietUntil: number;
  /** Until when nobody waits for a lease: who finds nothing in hand is turned away at once. */
  hurriedUntil: number;
  isUnknown: boolean;
}

/**
 * A lot is a twentieth of the burst. A process holds one and a half at most: what three of them hold after a pause is about
 * a twentieth of what the burst and ten seconds allow.
 */
const lotsInBurst = 20;
/** An empty bucket is asked again after this time: a flood costs the database twenty calls a second, however fast it is. */
const emptyPauseMs = 50;
/**
 * For as long again, the request that asks is turned away too, and what it asked for is in hand for the next: in a flood
 * there always is a next, and those that are let in do not each wait for the database.
 */
const hurryMs = 2 * emptyPauseMs;
const failedPauseMs = 1_000;
const mostRemembered = 10_000;
/** The lease that was under way when a request came, one that counts it in, and one to spare. */
const mostRounds = 3;

const unknown: Verdict = { kind: 'unknown' };

/** Less than it takes the fastest caller within its limit to spend the half of a lot that it has left. */
const gatherMs = 10;
const aLittleLater = (work: () => void): void => void setTimeout(work, gatherMs).unref();

/** The share of one process in buckets that all processes take from. */
export function createTokenLeases({ rule, lease, now, later = aLittleLater }: TokenLeasesDeps): TokenLeases {
  const buckets = new Map<string, Bucket>();
  const soon = new Set<Bucket>();

  /** The oldest makes room: a caller that makes up addresses can't fill the memory. */
  const add = (id: string): Bucket => {
    const bucket = newBucket(id, rule);
    buckets.set(id, bucket);
    const [oldest] = buckets.keys();
    if (buckets.size > mostRemembered && oldest !== undefined) buckets.delete(oldest);
    return bucket;
  };

  const askOnce = async (bucket: Bucket): Promise<void> => {
    const wanted = Math.min(bucket.limit, Math.max(bucket.lot, bucket.waiting));
    try {
      const { granted, left, factor } = await lease(bucket.id, wanted);
      const at = now();
      bucket.inHand += granted;
      bucket.left = left;
      bucket.leftAt = at;
      setRule(bucket, rule, factor);
      bucket.isUnknown = false;
      bucket.quietUntil = granted < wanted ? at + emptyPauseMs : 0;
      bucket.hurriedUntil = granted < wanted ? at + hurryMs : 0;
    } catch {
      // `lease` has said why. Whoever waits is let through, and whoever comes soon is not made to wait.
      bucket.isUnknown = true;
      bucket.quietUntil = now() + failedPauseMs;
      bucket.hurriedUntil = bucket.quietUntil;
    }
  };
  const ask = async (bucket: Bucket): Promise<void> => {
    bucket.asking = askOnce(bucket).finally(() => {
      bucket.asking = null;
    });
    return bucket.asking;
  };

  const askForAll = (): void => {
    const gathered = [...soon];
    soon.clear();
    for (const bucket of gathered) {
      // Somebody may have waited for one meanwhile.
      if (bucket.asking === null && isShort(bucket)) void ask(bucket);
    }
  };
  const askAhead = (bucket: Bucket, at: number): void => {
    if (bucket.asking !== null || at < bucket.quietUntil) return;
    soon.add(bucket);
    if (soon.size === 1) later(askForAll);
  };
  const spend = (bucket: Bucket, at: number): Verdict => {
    bucket.inHand -= 1;
    if (isShort(bucket)) askAhead(bucket, at);
    return letIn(bucket, at);
  };

  const waitForLease = async (bucket: Bucket): Promise<Verdict> => {
    bucket.waiting += 1;
    try {
      for (let round = 0; round < mostRounds; round += 1) {
        await (bucket.asking ?? ask(bucket));
        const at = now();
        if (bucket.inHand >= 1) return spend(bucket, at);
        if (at < bucket.quietUntil) return turnAway(bucket, at);
      }
      return turnAway(bucket, now());
    } finally {
      bucket.waiting -= 1;
    }
  };

  return {
    take(id) {
      const bucket = buckets.get(id) ?? add(id);
      const at = now();
      if (bucket.inHand >= 1) return spend(bucket, at);
      if (at >= bucket.hurriedUntil) return waitForLease(bucket);
      askAhead(bucket, at);
      return turnAway(bucket, at);
    },
  };
}

/** Half of a lot is gone, or more. */
function isShort({ inHand, lot }: Bucket): boolean {
  return inHand * 2 <= lot;
}

function newBucket(id: string, rule: RateRule): Bucket {
  const bucket: Bucket = {
    id,
    inHand: 0,
    left: 0,
    leftAt: 0,
    limit: 0,
    perSecond: 0,
    lot: 0,
    waiting: 0,
    asking: null,
    quietUntil: 0,
    hurriedUntil: 0,
    isUnknown: false,
  };
  setRule(bucket, rule, 1);
  return bucket;
}

function setRule(bucket: Bucket, { perSecond, burst }: RateRule, factor: number): void {
  bucket.limit = burst * factor;
  bucket.perSecond = perSecond * factor;
  bucket.lot = Math.max(1, Math.floor(bucket.limit / lotsInBurst));
}

/** What a caller may count on, as far as this process knows: others may have taken since. */
function tokensNow({ inHand, left, leftAt, perSecond, limit }: Bucket, at: number): number {
  return Math.min(limit, inHand + left + ((at - leftAt) * perSecond) / 1000);
}

function letIn(bucket: Bucket, at: number): Verdict {
  const { limit, perSecond } = bucket;
  const tokens = tokensNow(bucket, at);
  return {
    kind: 'granted',
    limit,
    remaining: Math.floor(tokens),
    resetSeconds: Math.ceil((limit - tokens) / perSecond),
  };
}

function turnAway(bucket: Bucket, at: number): Verdict {
  if (bucket.isUnknown) return unknown;
  const { limit, perSecond } = bucket;
  const tokens = tokensNow(bucket, at);
  return {
    kind: 'refused',
    limit,
    remaining: 0,
    resetSeconds: Math.ceil((limit - tokens) / perSecond),
    retryAfterSeconds: Math.max(1, Math.ceil((1 - tokens) / perSecond)),
  };
}
