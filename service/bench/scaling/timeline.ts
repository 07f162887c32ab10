/** What happens at which simulated second. Equal seconds keep the order in which they were asked for. */
export interface Timeline {
  now(): number;
  after(seconds: number, happens: () => void): void;
  /** Processors whose work goes on while time passes. */
  add(processors: Processors): void;
  runUntil(second: number): void;
}

interface Entry {
  at: number;
  order: number;
  happens: () => void;
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** A binary heap: the first of many thousand waiting entries is found at once. */
class Heap {
  readonly #entries: Entry[] = [];

  first(): Entry | undefined {
    return this.#entries[0];
  }

  push(entry: Entry): void {
    let at = this.#entries.push(entry) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.#swapIfBefore(at, above)) return;
      at = above;
    }
  }

  pop(): void {
    const last = this.#entries.pop();
    if (last === undefined || this.#entries.length === 0) return;
    this.#entries[0] = last;
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const smaller = this.#isBeforeAt(right, left) ? right : left;
      if (!this.#swapIfBefore(smaller, at)) return;
      at = smaller;
    }
  }

  #isBeforeAt(one: number, other: number): boolean {
    const [first, second] = [this.#entries[one], this.#entries[other]];
    return first !== undefined && second !== undefined && isBefore(first, second);
  }

  #swapIfBefore(one: number, other: number): boolean {
    const [first, second] = [this.#entries[one], this.#entries[other]];
    if (first === undefined || second === undefined || !isBefore(first, second)) return false;
    [this.#entries[one], this.#entries[other]] = [second, first];
    return true;
  }
}

interface Job {
  /** Once each job has had so much since the beginning. */
  endsAt: number;
  done: () => void;
}

const none: readonly Job[] = [];
/** Less work than this is rounding. */
const nothing = 1e-12;

/** Cores that all running jobs share equally; a job uses one core at most. */
export class Processors {
  readonly #cores: number;
  /** The one that ends first is the last. */
  readonly #jobs: Job[] = [];
  /** What a job has had that was there from the beginning. */
  #served = 0;
  /** Core seconds used so far. */
  used = 0;

  constructor(cores: number) {
    this.#cores = cores;
  }

  add(seconds: number, done: () => void): void {
    const endsAt = this.#served + seconds;
    let [low, high] = [0, this.#jobs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#jobs[middle]?.endsAt ?? 0) > endsAt) low = middle + 1;
      else high = middle;
    }
    this.#jobs.splice(low, 0, { endsAt, done });
  }

  #speed(): number {
    return Math.min(1, this.#cores / this.#jobs.length);
  }

  secondsToNext(): number {
    const next = this.#jobs.at(-1);
    return next === undefined ? Infinity : Math.max(0, next.endsAt - this.#served) / this.#speed();
  }

  /** Returns the jobs that have ended. */
  advance(seconds: number): readonly Job[] {
    if (this.#jobs.length === 0) return none;
    const each = seconds * this.#speed();
    this.used += each * this.#jobs.length;
    this.#served += each;
    const ended: Job[] = [];
    for (let next = this.#jobs.at(-1); next !== undefined; next = this.#jobs.at(-1)) {
      if (next.endsAt - this.#served > nothing) break;
      ended.push(next);
      this.#jobs.pop();
    }
    return ended;
  }
}

export function createTimeline(): Timeline {
  const heap = new Heap();
  const allProcessors: Processors[] = [];
  const clock = { now: 0 };
  let order = 0;
  const step = (until: number): void => {
    let next = Math.min(heap.first()?.at ?? Infinity, until);
    for (const processors of allProcessors) next = Math.min(next, clock.now + processors.secondsToNext());
    const passed = next - clock.now;
    clock.now = next;
    const ended = allProcessors.map((processors) => processors.advance(passed));
    for (const jobs of ended) for (const { done } of jobs) done();
    for (let first = heap.first(); first !== undefined && first.at <= clock.now; first = heap.first()) {
      heap.pop();
      first.happens();
    }
  };
  return {
    now: () => clock.now,
    after(seconds, happens) {
      order += 1;
      heap.push({ at: clock.now + seconds, order, happens });
    },
    add: (processors) => void allProcessors.push(processors),
    runUntil(second) {
      while (clock.now < second) step(second);
    },
  };
}
