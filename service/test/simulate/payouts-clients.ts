import { setTimeout as wait } from 'node:timers/promises';
import { textAt } from '@kelpie/dev/json.ts';
import { bankOf, cancelPayout, createPayout, payoutBody, type ApiAnswer, type Client } from '../harness/client.ts';
import type { TestPartner } from '../harness/partners.ts';
import type { Order } from './payouts-plan.ts';
import type { Tally } from './tally.ts';

/** What partners do: they ask, and where they are not told what became of it they ask again with the same key. */
export interface Clients {
  ask(order: Order): void;
  cancel(order: Order): void;
  /** Waits for everyone. From now on all is well, so nobody is patient any more. */
  finish(): Promise<void>;
  /** The payouts that were told of, by their keys. */
  reported: ReadonlyMap<string, ReadonlySet<string>>;
  longestWaitMs(): number;
}

/** One request and its answer, for who measures. */
export interface Attempt {
  what: 'create' | 'cancel';
  /** As `performance.now()` has it. */
  startedAtMs: number;
  tookMs: number;
  /** 0 where the connection broke or nothing came in time. */
  status: number;
}

interface ClientDeps {
  partners: readonly TestPartner[];
  /** The apis, as a load balancer knows them: it does not know which one has just been killed. */
  urls: readonly string[];
  tally: Tally;
  violations: string[];
  onAttempt?: (attempt: Attempt) => void;
  /** Codes that mean later, because somebody is expected to lift what is behind them. */
  alsoAskAgain?: ReadonlySet<string>;
}

const pauseMs = 250;
const longestPauseMs = 2_000;
/** Some four minutes in bad times, and half a minute once all is well. */
const mostTries = 120;
const mostTriesAtEnd = 15;

const poor = 0;

/** Another try with the same key is what the API asks for. */
const askAgain = new Set(['idempotency_key_in_use', 'payout_not_created', 'unavailable']);
const refusals = new Set(['insufficient_funds', 'idempotency_key_reused', 'recipient_account_rejected']);
const cancelErrors = new Set(['payout_not_cancellable']);

type Reported = 'told' | 'ask again';

/** What the answer asks for, where it does. */
function pauseAfter(answer: ApiAnswer | null, tries: number): number {
  const seconds = Number(answer?.headers.get('retry-after') ?? Number.NaN);
  return Number.isNaN(seconds) ? Math.min(pauseMs * 2 ** tries, longestPauseMs) : seconds * 1_000;
}

/** Null where the connection broke: that is no answer. */
async function answerOf(asked: Promise<ApiAnswer>): Promise<ApiAnswer | null> {
  try {
    return await asked;
  } catch (error) {
    // An answer that came whole and can't be read is the service's fault, not the network's.
    if (error instanceof SyntaxError) throw error;
    return null;
  }
}

/** What the bank took back from the poor partner, it owes until the next top-up. */
function isOwing({ code, partner }: { code: string; partner: number }): boolean {
  return code === 'partner_not_active' && partner === poor;
}

class PartnerClients implements Clients {
  readonly reported = new Map<string, Set<string>>();
  readonly #deps: ClientDeps;
  readonly #busy = new Set<Promise<void>>();
  #asked = 0;
  #longestWaitMs = 0;
  #isOver = false;

  constructor(deps: ClientDeps) {
    this.#deps = deps;
  }

  ask(order: Order): void {
    this.#begin(async () => this.#askUntilAnswered(order));
  }

  cancel(order: Order): void {
    const [id] = this.reported.get(order.key) ?? [];
    if (id === undefined) this.#deps.tally.add('cancels_without_payout');
    else this.#begin(async () => this.#cancelUntilAnswered(order, id));
  }

  async finish(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#busy);
  }

  longestWaitMs(): number {
    return this.#longestWaitMs;
  }

  #begin(work: () => Promise<void>): void {
    const busy = work()
      .catch((error: unknown) => void this.#deps.violations.push(`a client stumbled: ${String(error)}`))
      .finally(() => this.#busy.delete(busy));
    this.#busy.add(busy);
  }

  /** Each try goes to the next api. */
  #client({ partner }: Order): Client {
    const { urls, partners } = this.#deps;
    this.#asked += 1;
    return { url: urls[this.#asked % urls.length] ?? '', key: partners[partner]?.key ?? '' };
  }

  async #measured(what: Attempt['what'], asked: Promise<ApiAnswer>): Promise<ApiAnswer | null> {
    const startedAtMs = performance.now();
    const answer = await answerOf(asked);
    const tookMs = performance.now() - startedAtMs;
    this.#deps.onAttempt?.({ what, startedAtMs, tookMs, status: answer?.status ?? 0 });
    return answer;
  }

  async #until(
    order: Order,
    what: string,
    ask: () => Promise<{ reported: Reported; answer: ApiAnswer | null }>,
  ): Promise<void> {
    const startedAt = performance.now();
    let triesAtEnd = 0;
    for (let tries = 0; tries < mostTries && triesAtEnd < mostTriesAtEnd; tries += 1) {
      if (this.#isOver) triesAtEnd += 1;
      const { reported, answer } = await ask();
      if (reported === 'told') {
        this.#longestWaitMs = Math.max(this.#longestWaitMs, performance.now() - startedAt);
        return;
      }
      await wait(pauseAfter(answer, tries));
    }
    this.#deps.tally.add('never_told');
    // The bank's wallet of a poor partner may be short of what our books say, where it took more than we reckoned.
    if (order.partner !== poor) this.#deps.violations.push(`nobody was told ${what} of ${order.key}`);
  }

  async #askUntilAnswered(order: Order): Promise<void> {
    const body = payoutBody({ amount_gbp: order.pounds }, bankOf(order.account));
    await this.#until(order, 'what became', async () => {
      const answer = await this.#measured('create', createPayout(this.#client(order), body, order.key));
      return { answer, reported: this.#record(order, answer, refusals, () => this.#recordCreated(order, answer)) };
    });
  }

  async #cancelUntilAnswered(order: Order, id: string): Promise<void> {
    await this.#until(order, 'of the cancelling', async () => {
      const answer = await this.#measured('cancel', cancelPayout(this.#client(order), id));
      const onSuccess = (): void => this.#deps.tally.add('cancelled');
      return { answer, reported: this.#record(order, answer, cancelErrors, onSuccess) };
    });
  }

  /** Whether an answer settles it. One that the API has no reason for is a violation. */
  #record(
    { key, partner, believes502 }: Order,
    answer: ApiAnswer | null,
    final: ReadonlySet<string>,
    onSuccess: () => void,
  ): Reported {
    const { tally, violations } = this.#deps;
    if (answer === null) {
      tally.add('broken_connections');
      return 'ask again';
    }
    const { status, code } = answer;
    if (status === 200 || status === 201) {
      onSuccess();
      return 'told';
    }
    tally.add(`answers_${status}`);
    if (code === 'payout_not_created' && believes502) return 'told';
    if (this.#isToAskAgain(code)) return 'ask again';
    if (!final.has(code) && !isOwing({ code, partner })) violations.push(`${key} was answered ${status} ${code}`);
    if (status === 402 && partner !== poor) violations.push(`${key} was answered 402, of a wallet that has enough`);
    // A partner does not know what a fault of ours has left behind.
    return status >= 500 ? 'ask again' : 'told';
  }

  #isToAskAgain(code: string): boolean {
    return askAgain.has(code) || this.#deps.alsoAskAgain?.has(code) === true;
  }

  #recordCreated({ key, pounds }: Order, answer: ApiAnswer | null): void {
    const { tally, violations } = this.#deps;
    if (answer === null) return;
    tally.add(answer.status === 201 ? 'created' : 'replays');
    const ids = this.reported.get(key) ?? new Set();
    this.reported.set(key, ids.add(answer.id));
    if (ids.size > 1) violations.push(`I1 ${key} was answered with ${[...ids].join(' and ')}`);
    const amount = textAt(answer.json, 'amount_gbp');
    if (amount !== pounds) violations.push(`I1 ${key} asked for ${pounds}, and was told of a payout of ${amount}`);
  }
}

export function createClients(deps: ClientDeps): Clients {
  return new PartnerClients(deps);
}
