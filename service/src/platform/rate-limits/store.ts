import { arrayLiteral } from '../database/array-literal.ts';
import type { Call, SingleCalls } from '../database/single-call.ts';
import { tooBusy } from '../database/too-busy.ts';
import type { Logger } from '../logging.ts';
import { createMicroBatch } from '../micro-batch.ts';
import type { Lease, RateRule } from './token-leases.ts';

interface LeaseOrder extends RateRule {
  /** The bucket's name. It is in a batch once at most. */
  subject: string;
  /** Whose partner may have higher limits; null for an address. */
  keyId: string | null;
  wanted: number;
}

interface LeaseRow {
  place: number;
  granted: number;
  tokens_left: number;
  factor: number;
}

const leaseTokensCall: Call = { name: 'lease_tokens', text: 'select * from kelpie.lease_tokens($1, $2, $3, $4, $5)' };
const sweepCall: Call = { name: 'sweep_rate_buckets', text: 'select kelpie.sweep_rate_buckets($1) as swept' };

const mostInOneCall = 256;
/** A request waits no longer than this to hear whether it is within its limit. */
const patienceMs = 1_000;

async function leaseEach(calls: SingleCalls, orders: readonly LeaseOrder[]): Promise<Lease[]> {
  const rows = await calls.call<LeaseRow>(leaseTokensCall, [
    arrayLiteral(orders.map(({ subject }) => subject)),
    arrayLiteral(orders.map(({ keyId }) => keyId)),
    arrayLiteral(orders.map(({ wanted }) => wanted)),
    arrayLiteral(orders.map(({ perSecond }) => perSecond)),
    arrayLiteral(orders.map(({ burst }) => burst)),
  ]);
  const rowAt = new Map(rows.map((row) => [row.place, row]));
  return orders.map((_, at) => {
    const row = rowAt.get(at + 1);
    if (row === undefined) throw new Error('the database leased nothing');
    return { granted: row.granted, left: row.tokens_left, factor: row.factor };
  });
}

async function withinPatience<Result>(asked: Promise<Result>): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(tooBusy()), patienceMs);
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Leases tokens of the buckets that all processes share. Orders that come together go in one call. */
export function createLeaseCalls(calls: SingleCalls, logger: Logger): (order: LeaseOrder) => Promise<Lease> {
  let isFailing = false;
  const leaseTogether = createMicroBatch<LeaseOrder, Lease>({
    name: leaseTokensCall.name,
    size: mostInOneCall,
    keyOf: ({ subject }) => subject,
    together: async (orders) => leaseEach(calls, orders),
    // Asked again, a call that failed would most likely fail again: nobody shall wait for that.
    didNothing: () => false,
    tooMany: tooBusy,
    eager: false,
  });
  return async (order) => {
    try {
      const lease = await withinPatience(leaseTogether(order));
      isFailing = false;
      return lease;
    } catch (error) {
      // Said once for each time that it begins: every caller would say it again.
      if (!isFailing) logger.warn({ error }, 'rate_limits.not_shared');
      isFailing = true;
      throw error;
    }
  };
}

const sweptAtOnce = 5_000;
const mostSweeps = 200;

/** Deletes buckets that are full again, which say no more than none would. Says how many. */
export async function sweepRateBuckets(calls: SingleCalls): Promise<number> {
  let total = 0;
  for (let sweeps = 0; sweeps < mostSweeps; sweeps += 1) {
    const [row] = await calls.call<{ swept: number }>(sweepCall, [sweptAtOnce]);
    const swept = row?.swept ?? 0;
    total += swept;
    if (swept < sweptAtOnce) break;
  }
  return total;
}
