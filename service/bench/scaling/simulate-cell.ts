import { chanceFrom, createPick, exponential } from './chance.ts';
import { createTimeline, Processors, type Timeline } from './timeline.ts';

/** What one commit costs, by the number of payouts in it. */
interface CommitTime {
  /** Of a core. */
  perBatchSeconds: number;
  perPayoutSeconds: number;
  /** Until the disk, and the standby, have it. No core works meanwhile. */
  flushSeconds: number;
}

/** One database with the api processes in front of it. */
export interface Cell {
  /** Cores of the database's machine. */
  databaseCores: number;
  /** Cores of the api's machine; null where both share the database's. */
  apiCores: number | null;
  apiProcesses: number;
  /** Of a core, for a request and its answer, and for each commit. */
  apiSeconds: number;
  apiCommitSeconds: number;
  /** Of a core of the database's machine, for each request, by what else runs there: the load generator, or the worker's commits. */
  besideSeconds: number;
  /** How much of that runs at once. */
  besideAtOnce: number;
  commit: CommitTime;
  /** As the service does it: so many payouts a commit, so many commits of a process at once. */
  batchSize: number;
  commitsUnderWay: number;
  /** A second commit of a process begins before its batch is full once the first has taken this long. */
  soonSeconds: number;
  /** Calls of one process at the bank, each of which takes so long. Null for a payout that needs no bank. */
  bank: { slots: number; seconds: number } | null;
}

export interface Traffic {
  perSecond: number;
  /** What part of it each partner has. */
  shares: readonly number[];
  seconds: number;
  /** The first of it is not counted. */
  warmSeconds: number;
  seed: number;
}

export interface CellResult {
  perSecond: number;
  meanMs: number;
  p50Ms: number;
  p99Ms: number;
  /** From 0 to 1. */
  databaseUse: number;
  /** How much of the time a commit of the largest partner was under way: its wallet was locked. */
  hotWalletUse: number;
  payoutsPerCommit: number;
  /** Not answered when the time was up. */
  waiting: number;
}

/** Wallets that commits lock, all at once and in order of arrival. */
class Wallets {
  readonly #locked = new Set<number>();
  readonly #waiting: { wallets: readonly number[]; locked: () => void }[] = [];

  lock(wallets: readonly number[], locked: () => void): void {
    this.#waiting.push({ wallets, locked });
    this.#next();
  }

  unlock(wallets: readonly number[]): void {
    for (const wallet of wallets) this.#locked.delete(wallet);
    this.#next();
  }

  #next(): void {
    const promised = new Set<number>();
    for (let at = 0; at < this.#waiting.length;) {
      const one = this.#waiting[at];
      if (one === undefined) return;
      if (one.wallets.some((wallet) => this.#locked.has(wallet) || promised.has(wallet))) {
        for (const wallet of one.wallets) promised.add(wallet);
        at += 1;
        continue;
      }
      this.#waiting.splice(at, 1);
      for (const wallet of one.wallets) this.#locked.add(wallet);
      one.locked();
    }
  }
}

/** A Node process: one piece of work at a time, in order of arrival. */
class EventLoop {
  readonly #cores: Processors;
  readonly #waiting: { seconds: number; done: () => void }[] = [];
  #first = 0;
  #isBusy = false;

  constructor(cores: Processors) {
    this.#cores = cores;
  }

  run(seconds: number, done: () => void): void {
    this.#waiting.push({ seconds, done });
    this.#next();
  }

  #next(): void {
    const next = this.#isBusy ? undefined : this.#waiting[this.#first];
    if (next === undefined) return;
    this.#first += 1;
    if (this.#first > 1_024) this.#first -= this.#waiting.splice(0, this.#first).length;
    this.#isBusy = true;
    this.#cores.add(next.seconds, () => {
      this.#isBusy = false;
      next.done();
      this.#next();
    });
  }
}

/** What the cell has, while it is simulated. */
interface Running {
  cell: Cell;
  timeline: Timeline;
  database: Processors;
  wallets: Wallets;
  committed: (payouts: number, beganAt: number, isHot: boolean) => void;
}

/** The micro-batches of one api process (platform/micro-batch.ts). */
class MicroBatch {
  readonly #running: Running;
  readonly #loop: EventLoop;
  readonly #waiting: { wallet: number | null; done: () => void }[] = [];
  #underWay = 0;
  #lastSentAt = -Infinity;

  constructor(running: Running, loop: EventLoop) {
    this.#running = running;
    this.#loop = loop;
  }

  /** `wallet` is the number of the partner whose wallet the commit locks, or null. */
  add(wallet: number | null, done: () => void): void {
    this.#waiting.push({ wallet, done });
    this.#send();
  }

  #isTimely(): boolean {
    const { cell, timeline } = this.#running;
    return (
      this.#underWay === 0 ||
      this.#waiting.length >= cell.batchSize ||
      timeline.now() - this.#lastSentAt > cell.soonSeconds
    );
  }

  #send(): void {
    const { cell, timeline } = this.#running;
    while (this.#waiting.length > 0 && this.#underWay < cell.commitsUnderWay && this.#isTimely()) {
      const batch = this.#waiting.splice(0, cell.batchSize);
      this.#underWay += 1;
      this.#lastSentAt = timeline.now();
      const wallets = new Set(batch.flatMap(({ wallet }) => wallet ?? []));
      const ended = (): void => {
        this.#underWay -= 1;
        for (const { done } of batch) done();
        this.#send();
      };
      this.#loop.run(cell.apiCommitSeconds, () => this.#commit(batch.length, [...wallets], ended));
    }
  }

  #commit(payouts: number, locked: readonly number[], done: () => void): void {
    const { cell, timeline, database, wallets, committed } = this.#running;
    const { perBatchSeconds, perPayoutSeconds, flushSeconds } = cell.commit;
    wallets.lock(locked, () => {
      const beganAt = timeline.now();
      database.add(perBatchSeconds + perPayoutSeconds * payouts, () =>
        timeline.after(flushSeconds, () => {
          wallets.unlock(locked);
          committed(payouts, beganAt, locked.includes(0));
          done();
        }),
      );
    });
  }
}

/** Calls at the bank that one process may have under way. */
class BankSlots {
  readonly #timeline: Timeline;
  readonly #seconds: number;
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(timeline: Timeline, { slots, seconds }: { slots: number; seconds: number }) {
    this.#timeline = timeline;
    this.#seconds = seconds;
    this.#free = slots;
  }

  call(done: () => void): void {
    if (this.#free === 0) return void this.#waiting.push(() => this.call(done));
    this.#free -= 1;
    this.#timeline.after(this.#seconds, () => {
      this.#free += 1;
      done();
      this.#waiting.shift()?.();
    });
  }
}

/** One api process: request, commit, and where there is a bank, its answer and a second commit. */
function createProcess(running: Running, cores: Processors): (partner: number, answered: () => void) => void {
  const { cell, timeline } = running;
  const loop = new EventLoop(cores);
  const first = new MicroBatch(running, loop);
  const second = new MicroBatch(running, loop);
  const slots = cell.bank === null ? null : new BankSlots(timeline, cell.bank);
  return (partner, answered) => {
    const answer = (): void => loop.run(cell.apiSeconds / 2, answered);
    loop.run(cell.apiSeconds / 2, () =>
      first.add(partner, () => (slots === null ? answer() : slots.call(() => second.add(null, answer)))),
    );
  };
}

function percentileMs(sorted: Float64Array, percent: number): number {
  return (sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? NaN) * 1_000;
}

/** Arrivals that wait for nothing, of partners of whom the first is the largest. The same seed gives the same result. */
export function simulateCell(cell: Cell, traffic: Traffic): CellResult {
  const chance = chanceFrom(traffic.seed);
  const pickPartner = createPick(traffic.shares, chance);
  const timeline = createTimeline();
  const database = new Processors(cell.databaseCores);
  const apiCores = cell.apiCores === null ? database : new Processors(cell.apiCores);
  for (const processors of new Set([database, apiCores])) timeline.add(processors);
  const isCounted = (at: number): boolean => at >= traffic.warmSeconds;
  const took: number[] = [];
  const sums = { arrived: 0, answered: 0, payouts: 0, commits: 0, hotSeconds: 0 };
  const committed = (payouts: number, beganAt: number, isHot: boolean): void => {
    if (!isCounted(beganAt)) return;
    sums.payouts += payouts;
    sums.commits += 1;
    if (isHot) sums.hotSeconds += timeline.now() - beganAt;
  };
  const running = { cell, timeline, database, wallets: new Wallets(), committed };
  const processes = Array.from({ length: cell.apiProcesses }, () => createProcess(running, apiCores));
  const beside = Array.from({ length: cell.besideAtOnce }, () => new EventLoop(database));
  const arrive = (): void => {
    const arrivedAt = timeline.now();
    beside[sums.arrived % beside.length]?.run(cell.besideSeconds, () => undefined);
    sums.arrived += 1;
    processes[Math.floor(chance() * processes.length)]?.(pickPartner(), () => {
      sums.answered += 1;
      if (isCounted(arrivedAt)) took.push(timeline.now() - arrivedAt);
    });
    timeline.after(exponential(chance, traffic.perSecond), arrive);
  };
  arrive();
  timeline.runUntil(traffic.warmSeconds);
  const [usedAtFirst, answeredAtFirst] = [database.used, sums.answered];
  timeline.runUntil(traffic.seconds);
  const counted = traffic.seconds - traffic.warmSeconds;
  const sorted = Float64Array.from(took).toSorted();
  return {
    perSecond: (sums.answered - answeredAtFirst) / counted,
    meanMs: (sorted.reduce((sum, seconds) => sum + seconds, 0) / sorted.length) * 1_000,
    p50Ms: percentileMs(sorted, 50),
    p99Ms: percentileMs(sorted, 99),
    databaseUse: (database.used - usedAtFirst) / counted / cell.databaseCores,
    hotWalletUse: sums.hotSeconds / counted,
    payoutsPerCommit: sums.payouts / sums.commits,
    waiting: sums.arrived - sums.answered,
  };
}
