// Sends requests to the api, from a process of its own: what it uses of the processor is then not taken for the api's. It
// shares the machine with what is measured, so it does as little as can be: whole requests as they are, and of an answer
// only its status and its length.
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { createCompletions, type Completions } from './completions.ts';
import { keyMark, type GeneratorAnswer, type GeneratorOrder, type LoadPlan } from './load-plan.ts';

const keyStart = randomBytes(11).toString('hex');
const counterDigits = 13;
let keysMade = 0;

/** As long as a UUID, which is what most partners send. */
function freshKey(): string {
  keysMade += 1;
  return `${keyStart}-${keysMade.toString().padStart(counterDigits, '0')}`;
}

class Load {
  readonly completions: Completions = createCompletions();
  readonly plan: LoadPlan;
  readonly #pieces: readonly (readonly string[])[];
  stopped = false;
  #lanesToBegin: number;

  constructor(plan: LoadPlan) {
    this.plan = plan;
    this.#lanesToBegin = plan.connections;
    this.#pieces = plan.requests.map((request) => request.split(keyMark));
  }

  laneBegan(): void {
    this.#lanesToBegin -= 1;
    if (this.#lanesToBegin === 0) report({ kind: 'begun' });
  }

  nextRequest(): string {
    const [start = '', end] = this.#pieces[Math.floor(Math.random() * this.#pieces.length)] ?? [];
    return end === undefined ? start : start + freshKey() + end;
  }
}

const headEnd = '\r\n\r\n';

/** One connection: a request, its answer, the next request. */
class Lane {
  readonly #load: Load;
  readonly #socket: Socket;
  readonly #end: () => void;
  #hasBegun = false;
  #sentAt = 0;
  #head = '';
  #bytesLeft = 0;

  constructor(load: Load, end: () => void) {
    this.#load = load;
    this.#end = end;
    this.#socket = connect(load.plan.port, '127.0.0.1', () => this.#send());
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (chunk) => this.#read(chunk));
    this.#socket.on('error', (error) => fail(`a connection broke: ${error.message}`));
    this.#socket.on('close', () => (load.stopped ? undefined : fail('the api closed a connection')));
  }

  #send(): void {
    if (this.#load.stopped) {
      this.#socket.destroy();
      this.#end();
      return;
    }
    this.#sentAt = performance.now();
    this.#socket.write(this.#load.nextRequest(), 'latin1');
  }

  #read(chunk: Buffer): void {
    if (this.#bytesLeft > 0) this.#bytesLeft -= chunk.length;
    else if (!this.#readHead(chunk)) return;
    if (this.#bytesLeft > 0) return;
    const now = performance.now();
    this.#load.completions.add(performance.timeOrigin + now, now - this.#sentAt);
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.#load.laneBegan();
    }
    this.#send();
  }

  /** Says whether the head is whole by now. */
  #readHead(chunk: Buffer): boolean {
    this.#head += chunk.toString('latin1');
    const end = this.#head.indexOf(headEnd);
    if (end === -1) return false;
    const length = /\ncontent-length: (\d+)/i.exec(this.#head)?.[1];
    if (Number(this.#head.slice(9, 12)) !== this.#load.plan.status || length === undefined)
      fail(`the api did not answer ${this.#load.plan.status}:\n${this.#head}`);
    this.#bytesLeft = end + headEnd.length + Number(length) - this.#head.length;
    this.#head = '';
    return true;
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
  report({ kind: 'counted', counted: load.completions.count(order.window), total: load.completions.total() });
}

/** Our own parent sends nothing else; this is only a reminder. */
function isOrder(message: unknown): message is GeneratorOrder {
  return typeof message === 'object' && message !== null && 'kind' in message;
}

process.on('disconnect', () => process.exit());
process.on('message', (message) => {
  if (isOrder(message)) void obey(message);
});
