import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { AnswerReader } from '../answer-reader.ts';
import { createCompletions, requireSome, type Counted, type Window } from '../completions.ts';
import { createFiller } from '../fresh-keys.ts';
import { exponential, type Chance } from './chance.ts';

interface OpenLoad {
  port: number;
  requests: readonly string[];
  perSecond: number;
  chance: Chance;
  /** Gives the number of the request to send. */
  pick: () => number;
}

interface Arrivals {
  count(window: Window): Counted;
  /** Requests that were not answered with 201, by status. */
  refused: ReadonlyMap<number, number>;
  end(): Promise<void>;
}

const status = 201;
/** More requests under way than the service lets wait, so that it is never the connections that hold one back. */
const connections = 512;
const tickMs = 1;
/** Longer than a request may take. */
const patienceMs = 20_000;

/** Sends requests at random instants, whether or not earlier ones were answered. It runs in this process until it is ended. */
export async function startArrivals({ port, requests, perSecond, chance, pick }: OpenLoad): Promise<Arrivals> {
  const completions = createCompletions();
  const refused = new Map<number, number>();
  const fill = createFiller(requests);
  const idle: Lane[] = [];
  const waiting: number[] = [];
  const errors: Error[] = [];
  const finished = (lane: Lane, answered: number, arrivedAt: number): void => {
    const now = performance.now();
    if (answered === status) completions.add(performance.timeOrigin + now, now - arrivedAt);
    else refused.set(answered, (refused.get(answered) ?? 0) + 1);
    const next = waiting.shift();
    if (next === undefined) idle.push(lane);
    else lane.send(fill(pick()), next);
  };
  const lanes = Array.from({ length: connections }, () => new Lane(port, finished, (error) => void errors.push(error)));
  await Promise.all(lanes.map(async (lane) => lane.connected));
  idle.push(...lanes);
  let nextAt = performance.now();
  const tick = (): void => {
    const now = performance.now();
    for (; nextAt <= now; nextAt += exponential(chance, perSecond) * 1_000) {
      const lane = idle.pop();
      if (lane === undefined) waiting.push(now);
      else lane.send(fill(pick()), now);
    }
  };
  const timer = setInterval(tick, tickMs);
  return {
    refused,
    count: (window) => requireSome(completions.count(window)),
    async end() {
      clearInterval(timer);
      const deadline = performance.now() + patienceMs;
      while (idle.length < lanes.length && performance.now() < deadline && errors.length === 0) await wait(20);
      for (const lane of lanes) lane.end();
      for (const error of errors) throw error;
      if (idle.length < lanes.length) throw new Error('the api left requests unanswered');
    },
  };
}

/** One connection, used by one request at a time. */
class Lane {
  readonly #socket: Socket;
  readonly #answers = new AnswerReader();
  readonly connected: Promise<void>;
  #arrivedAt = 0;

  constructor(
    port: number,
    finished: (lane: Lane, status: number, arrivedAt: number) => void,
    broke: (error: Error) => void,
  ) {
    this.#socket = connect(port, '127.0.0.1').setNoDelay(true);
    this.connected = new Promise((resolve, reject) => this.#socket.once('connect', resolve).once('error', reject));
    this.#socket.on('error', broke);
    this.#socket.on('data', (chunk) => {
      const answered = this.#answers.read(chunk);
      if (answered !== null) finished(this, answered, this.#arrivedAt);
    });
  }

  send(request: string, arrivedAt: number): void {
    this.#arrivedAt = arrivedAt;
    this.#socket.write(request, 'latin1');
  }

  end(): void {
    this.#socket.destroy();
  }
}
