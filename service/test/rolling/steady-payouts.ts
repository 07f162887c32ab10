import { randomUUID } from 'node:crypto';
import { payoutBody, type Client } from '../harness/client.ts';

interface Answer {
  startedMs: number;
  endedMs: number;
  /** 0 where there was no answer. */
  status: number;
}

export interface SteadyFigures {
  payouts: number;
  errors: number;
  p99Ms: number;
  slowestMs: number;
  /** The longest time without an accepted payout. */
  longestStallMs: number;
}

/** So many payouts per second, whether or not those before are answered. */
export interface SteadyPayouts {
  /** Of what was asked from that moment on until now. */
  figuresSince(fromMs: number): SteadyFigures;
  firstError(): string | undefined;
  stop(): Promise<void>;
}

const patienceMs = 60_000;

function figuresOf(answers: readonly Answer[], fromMs: number): SteadyFigures {
  const accepted = answers.filter(({ status }) => status === 201);
  const latencies = answers.map(({ startedMs, endedMs }) => endedMs - startedMs).toSorted((one, other) => one - other);
  const ends = [fromMs, ...accepted.map(({ endedMs }) => endedMs).toSorted((one, other) => one - other)];
  const gaps = ends.slice(1).map((end, at) => end - (ends[at] ?? end));
  return {
    payouts: accepted.length,
    errors: answers.length - accepted.length,
    p99Ms: Math.round(latencies[Math.ceil(latencies.length * 0.99) - 1] ?? 0),
    slowestMs: Math.round(latencies.at(-1) ?? 0),
    longestStallMs: Math.round(Math.max(0, ...gaps)),
  };
}

export function startSteadyPayouts(
  clients: readonly Client[],
  perSecond: number,
  body: object = payoutBody(),
): SteadyPayouts {
  const answers: Answer[] = [];
  const open = new Set<Promise<void>>();
  let firstError: string | undefined;
  const createOne = async ({ url, key }: Client): Promise<void> => {
    const startedMs = performance.now();
    let status = 0;
    try {
      const response = await fetch(`${url}/v1/payouts`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': randomUUID(),
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(patienceMs),
      });
      const text = await response.text();
      status = response.status;
      if (status !== 201) firstError ??= `${status} ${text}`;
    } catch (error) {
      firstError ??= String(error);
    }
    answers.push({ startedMs, endedMs: performance.now(), status });
  };
  let asked = 0;
  const beganMs = performance.now();
  // A timer that fires late catches up, so that the rate holds.
  const timer = setInterval(
    () => {
      const due = Math.floor(((performance.now() - beganMs) / 1_000) * perSecond);
      for (; asked < due; asked += 1) {
        const client = clients[asked % clients.length];
        if (client === undefined) return;
        const one = createOne(client).finally(() => open.delete(one));
        open.add(one);
      }
    },
    1_000 / perSecond / 2,
  );
  return {
    figuresSince: (fromMs) =>
      figuresOf(
        answers.filter(({ startedMs }) => startedMs >= fromMs),
        fromMs,
      ),
    firstError: () => firstError,
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
    },
  };
}
