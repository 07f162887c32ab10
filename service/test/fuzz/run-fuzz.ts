import * as fc from 'fast-check';
import type { TestDatabase } from '../harness/database.ts';
import { assertBooksHold } from '../harness/invariants.ts';
import { createTally, type Tally } from '../simulate/tally.ts';
import { nameOf, partnersAsking, startFuzzedApi, type FuzzedApi } from './fuzzed-api.ts';
import { packRequest, type FuzzRequest } from './request.ts';
import { requestsFor } from './requests.ts';

interface FuzzInput {
  database: TestDatabase;
  requests: number;
  /** The same seed makes the same requests. */
  seed: number;
  /** For the person who watches. */
  say: (text: string) => void;
}

interface FuzzResult {
  /** Sentences, each naming one thing that must never be. */
  violations: string[];
  figures: {
    requests: number;
    seconds: number;
    perSecond: number;
    payouts: number;
    byStatus: Readonly<Record<string, number>>;
    byOperation: Readonly<Record<string, number>>;
  };
}

/** Partners with a long history are slow to list, and what an api has logged is kept to be looked through. */
const requestsOfAnApi = 50_000;
/** After so many the books are compared, with nothing on its way. */
const requestsOfAChunk = 500;
/** Made in one go: the api shall not wait for us while we make them. */
const requestsOfABatch = 20;
const connectionsAtOnce = 24;
/** Who has seen so many mends those first. */
const mostViolations = 20;

/** The requests of a seed, one after the other. */
export function createSource(seed: number): () => FuzzRequest {
  const requests = requestsFor(partnersAsking, seed);
  let batch: FuzzRequest[] = [];
  let batches = 0;
  return () => {
    if (batch.length === 0) {
      batch = fc.sample(requests, { seed: Math.imul(seed, 1_000_003) + batches, numRuns: requestsOfABatch });
      batches += 1;
    }
    const next = batch.pop();
    if (next === undefined) throw new Error('no request was made');
    return next;
  };
}

/** One request in a line that a person can read, and in one that can be pasted. */
function retell(request: FuzzRequest, fault: string): string {
  const begun = JSON.stringify(request.head.slice(0, 300) + request.body.toString('latin1', 0, 300));
  return `${fault}\n  ${begun}\n  npm run fuzz -- --repeat ${packRequest(request)}`;
}

interface Run {
  next: () => FuzzRequest;
  statuses: Tally;
  operations: Tally;
  violations: string[];
}

async function sendChunk(api: FuzzedApi, run: Run, count: number): Promise<void> {
  let left = count;
  const lane = async (): Promise<void> => {
    const connection = api.open();
    while (left > 0) {
      left -= 1;
      const request = run.next();
      const { answer, fault } = await api.ask(connection, request);
      run.statuses.add(nameOf(answer));
      run.operations.add(request.operation);
      if (fault !== undefined) run.violations.push(retell(request, fault));
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connectionsAtOnce }, lane));
  run.violations.push(...(await api.model.compare()));
}

/** Sends as many as one api is given; says how many payouts they made. */
async function sendToOneApi(database: TestDatabase, run: Run, count: number, onChunk: (sent: number) => void) {
  const api = await startFuzzedApi(database);
  try {
    for (let sent = 0; sent < count && run.violations.length < mostViolations;) {
      const chunk = Math.min(requestsOfAChunk, count - sent);
      await sendChunk(api, run, chunk);
      sent += chunk;
      onChunk(chunk);
    }
  } finally {
    run.violations.push(...(await api.end()));
  }
  return api.model.made();
}

/** Generated requests against a real api, each answer and the books held against what must be. */
export async function runFuzz({ database, requests, seed, say }: FuzzInput): Promise<FuzzResult> {
  let reported = 0;
  const run: Run = { next: createSource(seed), statuses: createTally(), operations: createTally(), violations: [] };
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1_000;
  let sent = 0;
  let payouts = 0;
  // As they come: a long run may be broken off.
  const reportViolations = (): void => {
    for (const violation of run.violations.slice(reported)) say(`VIOLATION (seed ${seed}) ${violation}`);
    reported = run.violations.length;
  };
  const onChunk = (count: number): void => {
    sent += count;
    if (sent % 10_000 < count)
      say(`${sent} of ${requests}, ${Math.round(sent / seconds())}/s, ${run.violations.length} violations`);
    reportViolations();
  };
  for (let from = 0; from < requests && run.violations.length < mostViolations; from += requestsOfAnApi)
    payouts += await sendToOneApi(database, run, Math.min(requestsOfAnApi, requests - from), onChunk);
  await assertBooksHold(database).catch((error: unknown) => run.violations.push(String(error)));
  reportViolations();
  return {
    violations: run.violations,
    figures: {
      requests: sent,
      seconds: Math.round(seconds()),
      perSecond: Math.round(sent / seconds()),
      payouts,
      byStatus: run.statuses.counts(),
      byOperation: run.operations.counts(),
    },
  };
}
