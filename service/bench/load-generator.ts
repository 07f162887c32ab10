// Sends requests to the api, from a process of its own: what it uses of the processor is then not taken for the api's. It
// shares the machine with what is measured, so it does as little as can be: whole requests as they are, and of an answer
// only its status and its length.
import { connect, type Socket } from 'node:net';
import { AnswerReader } from './answer-reader.ts';
import { createCompletions, type Completions } from './completions.ts';
import { createFiller } from './fresh-keys.ts';
import type { GeneratorAnswer, GeneratorOrder, LoadPlan } from './load-plan.ts';

class Load {
  readonly completions: Completions = createCompletions();
  readonly plan: LoadPlan;
  readonly #fill: (number: number) => string;
  stopped = false;
  refused = 0;
  /** The head of the first answer of 503. */
  firstRefusal = '';
  #lanesToBegin: number;

  constructor(plan: LoadPlan) {
    this.plan = plan;
    this.#lanesToBegin = plan.connections;
    this.#fill = createFiller(plan.requests);
  }

  laneBegan(): void {
    this.#lanesToBegin -= 1;
    if (this.#lanesToBegin === 0) report({ kind: 'begun' });
  }

  /** The api answered 503, so the machine stalled. What follows would say nothing, so no more is sent. */
  refuse(head: string): void {
    if (this.refused === 0) this.firstRefusal = head;
    this.refused += 1;
    this.stopped = true;
    if (this.#lanesToBegin <= 0) return;
    this.#lanesToBegin = 0;
    report({ kind: 'begun' });
  }

  nextRequest(): string {
    return this.#fill(Math.floor(Math.random() * this.plan.requests.length));
  }
}

/** One connection: a request, its answer, the next request. */
class Lane {
  readonly #load: Load;
  readonly #socket: Socket;
  readonly #end: () => void;
  readonly #answers = new AnswerReader();
  #hasBegun = false;
  #isWaiting = false;
  #sentAt = 0;

  constructor(load: Load, end: () => void) {
    this.#load = load;
    this.#end = end;
    this.#socket = connect(load.plan.port, '127.0.0.1', () => this.#send());
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (chunk) => this.#read(chunk));
    this.#socket.on('error', (error) => (load.stopped ? undefined : fail(`a connection broke: ${error.message}`)));
    this.#socket.on('close', () => this.#close());
  }

  #close(): void {
    if (!this.#load.stopped) fail('the api closed a connection');
    // The api may have created the payout.
    if (this.#isWaiting) this.#load.refuse('closed without an answer');
    this.#end();
  }

  #send(): void {
    if (this.#load.stopped) {
      this.#socket.destroy();
      this.#end();
      return;
    }
    this.#isWaiting = true;
    this.#sentAt = performance.now();
    this.#socket.write(this.#load.nextRequest(), 'latin1');
  }

  #read(chunk: Buffer): void {
    const status = this.#answers.read(chunk);
    if (status === null) return;
    this.#isWaiting = false;
    const { plan } = this.#load;
    if (status === 503) this.#load.refuse(this.#answers.head);
    else if (status !== plan.status) fail(`the api did not answer ${plan.status}:\n${this.#answers.head}`);
    const now = performance.now();
    if (status === plan.status) this.#load.completions.add(performance.timeOrigin + now, now - this.#sentAt);
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.#load.laneBegan();
    }
    this.#send();
  }
}

function report(answer: GeneratorAnswer): void {
  process.send?.(answer);
}

/** A figure that hides failed requests would be worth nothing. */
function fail(why: string): never {
  console.error(`The load generator gives up: ${why}`);
  process.exit(1);
}

let running: { load: Load; ended: Promise<unknown> } | undefined;

function begin(plan: LoadPlan): void {
  const load = new Load(plan);
  const lanes = Array.from({ length: plan.connections }, async () => new Promise<void>((end) => new Lane(load, end)));
  running = { load, ended: Promise.all(lanes) };
}

async function obey(order: GeneratorOrder): Promise<void> {
  if (order.kind === 'start') return begin(order.plan);
  if (running === undefined) throw new Error('told to stop what was never started');
  const { load, ended } = running;
  load.stopped = true;
  await ended;
  const { completions, refused, firstRefusal } = load;
  const counted = completions.count(order.window);
  report({ kind: 'counted', counted, total: completions.total(), refused, firstRefusal });
}

/** Our own parent sends nothing else; this is only a reminder. */
function isOrder(message: unknown): message is GeneratorOrder {
  return typeof message === 'object' && message !== null && 'kind' in message;
}

process.on('disconnect', () => process.exit());
process.on('message', (message) => {
  if (isOrder(message)) void obey(message);
});
