import { setTimeout as wait } from 'node:timers/promises';
import { matchEvents } from './match-events.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import type { Tracer } from '../../platform/tracing/tracer.ts';
import type { WakeListener } from '../../platform/wake-ups/wake-listener.ts';
import type { PayoutDeps } from './deps.ts';
import { createRamp } from './ramp.ts';
import { resumeFound } from './resume-payout.ts';
import { leaseMs } from './schedules.ts';
import type { Payout } from '../model/payout.ts';
import { findPayouts } from '../records/payout-store.ts';
import { claimDuePayouts, findNextDue, type PayoutLease } from '../records/lease-store.ts';

/** What became due meanwhile is claimed together. */
const everyMs = 200;
/**
 * How long a worker sleeps at most. Shorter than the shortest pause of the schedules: what another process schedules
 * now is seen before it is due. Only what is due at once has to wake the workers.
 */
const longestSleepMs = 1_000;
/** As many banks' answers as one worker waits for at a time, in each environment: a slow sandbox bank costs live none. */
const mostInHand = 32;
/** A partner that has so many in hand gets no more: its others can wait, and another partner's first can't. */
const mostOfPartner = 24;
/** In one claim: so the last quarter is left to other partners, however many one of them has due. */
const mostAtOnce = mostInHand - mostOfPartner;
/** How many it begins with after an outage. */
const fewInHand = 4;
/**
 * After an outage, other processes first record what the bank answered meanwhile. A payout that was claimed before that
 * would be sent again.
 */
const graceMs = 2_000;

export interface Sweep {
  /** Takes no more, and waits for what is in hand. */
  stop(): Promise<void>;
}

interface Lane {
  /** Takes what is due, as long as there is more than it can take. */
  takeAll(): Promise<void>;
  /** Begins with a few again. */
  restart(): void;
  /** Everything in hand has ended. */
  ended(): Promise<void>;
}

interface SweepDeps extends PayoutDeps {
  wakeUps: WakeListener;
  tracer: Tracer;
  /** Called each time that it looked for what is due, unless claiming it failed the last time. */
  onRound: () => void;
}

/** The payouts of one environment, which is one bank's. */
function createLane(deps: SweepDeps, environment: PartnerContext['environment'], stopped: AbortSignal): Lane {
  const { logger, calls, tracer } = deps;
  const { writeGate } = calls;
  const step = { name: 'payout.resume', kind: 'internal', attributes: { 'kelpie.environment': environment } } as const;
  const ramp = createRamp({ few: fewInHand, usual: mostInHand });
  const inHand = new Set<Promise<void>>();
  const inHandOf = new Map<string, number>();
  const count = (partnerId: string, by: 1 | -1): void => {
    const now = (inHandOf.get(partnerId) ?? 0) + by;
    if (now === 0) inHandOf.delete(partnerId);
    else inHandOf.set(partnerId, now);
  };
  const resume = async (open: PayoutLease, found: Promise<Payout | null>): Promise<void> => {
    try {
      await tracer.follow(open.payoutId, step, async () => resumeFound(deps, open, await found));
      ramp.succeeded();
    } catch (error) {
      ramp.restart();
      // Its lease runs out, and it is taken again: later each time. In an outage all of them fail alike.
      if (writeGate.isOpen()) logger.error({ payout_id: open.payoutId, error }, 'payout.not_resumed');
      else logger.error({ error }, 'sweep.failed');
    } finally {
      count(open.partnerId, -1);
    }
  };
  const takeSome = async (): Promise<boolean> => {
    const most = Math.min(mostAtOnce, ramp.most() - inHand.size);
    if (most <= 0) return true;
    const fullPartners = [...inHandOf].flatMap(([partnerId, now]) => (now >= mostOfPartner ? [partnerId] : []));
    const now = deps.clock.now();
    const taken = await claimDuePayouts(calls, { environment, now, leaseMs, most, fullPartners });
    if (taken.length === 0) return false;
    // One read for all of them. Each waits for it, and fails with it.
    const found = findPayouts(calls, taken);
    for (const [at, open] of taken.entries()) {
      count(open.partnerId, 1);
      const work = resume(
        open,
        found.then((payouts) => payouts[at] ?? null),
      ).finally(() => inHand.delete(work));
      inHand.add(work);
    }
    return taken.length === most;
  };
  /** Until a quarter is free again: each claim costs the database the same, whether for one or for eight. */
  const untilRoom = async (): Promise<void> => {
    const giveUpAt = performance.now() + everyMs;
    const tick = wait(everyMs);
    while (performance.now() < giveUpAt && inHand.size > (ramp.most() * 3) / 4) await Promise.race([tick, ...inHand]);
  };
  return {
    async takeAll() {
      while (!stopped.aborted && writeGate.isOpen() && (await takeSome())) await untilRoom();
    },
    restart: () => ramp.restart(),
    async ended() {
      await Promise.all(inHand);
    },
  };
}

interface Round {
  /** Begins it, unless it is under way. */
  begin(): void;
  /** Whether the last one that ended failed. */
  hasFailed(): boolean;
  ended(): Promise<void>;
}

/** What fails is told, and tried again in the next round. */
function createRound({ logger }: PayoutDeps, stopped: AbortSignal, work: () => Promise<void>): Round {
  let underWay: Promise<void> | null = null;
  let failed = false;
  const run = async (): Promise<void> => {
    try {
      await work();
      failed = false;
    } catch (error) {
      failed = true;
      if (!stopped.aborted) logger.error({ error }, 'sweep.failed');
    }
    underWay = null;
  };
  return {
    begin() {
      underWay ??= run();
    },
    hasFailed: () => failed,
    async ended() {
      await underWay;
    },
  };
}

function isDue(dueAt: Date | null, now: Date): boolean {
  return dueAt !== null && dueAt <= now;
}

/** How long nothing is due, as far as it is known now. */
function sleepMs(dueAts: readonly (Date | null)[], now: Date): number {
  const pauses = dueAts.flatMap((dueAt) => (dueAt === null ? [] : [dueAt.getTime() - now.getTime()]));
  return Math.max(0, Math.min(longestSleepMs, ...pauses) - everyMs);
}

/** Looks after open payouts, of all partners, until it is stopped. Any number of workers do so side by side. */
export function startSweep(deps: SweepDeps): Sweep {
  const { logger, calls, clock, wakeUps, onRound } = deps;
  const { writeGate } = calls;
  const stopping = new AbortController();
  const { signal } = stopping;
  const lanes = {
    live: createLane(deps, 'live', signal),
    sandbox: createLane(deps, 'sandbox', signal),
  };
  // Side by side: what takes a bank long in one must not keep the others from their turn.
  const rounds = {
    live: createRound(deps, signal, async () => lanes.live.takeAll()),
    sandbox: createRound(deps, signal, async () => lanes.sandbox.takeAll()),
    webhooks: createRound(deps, signal, async () => matchEvents(deps)),
  };
  const kinds = ['live', 'sandbox', 'webhooks'] as const;
  /** While nothing can be written, nothing is claimed. */
  const untilWritable = async (): Promise<void> => {
    if (writeGate.isOpen()) return;
    await writeGate.untilOpen(signal);
    lanes.live.restart();
    lanes.sandbox.restart();
    await wait(graceMs, undefined, { signal });
  };
  /** One question for all of it: most of the time nothing is due. */
  const beginDue = async (): Promise<number> => {
    await untilWritable();
    const now = clock.now();
    const dueAts = await findNextDue(calls);
    for (const kind of kinds) if (isDue(dueAts[kind], now)) rounds[kind].begin();
    if (!kinds.some((kind) => rounds[kind].hasFailed())) onRound();
    return sleepMs(Object.values(dueAts), now);
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const pauseMs = await beginDue().catch((error: unknown) => {
        if (!signal.aborted) logger.error({ error }, 'sweep.failed');
        return 0;
      });
      await wait(everyMs, undefined, { signal }).catch(() => undefined);
      await wakeUps.until('payouts', pauseMs, signal);
    }
  };
  const done = run();
  return {
    async stop() {
      stopping.abort();
      await done;
      await Promise.all(kinds.map(async (kind) => rounds[kind].ended()));
      await Promise.all([lanes.live.ended(), lanes.sandbox.ended()]);
    },
  };
}
