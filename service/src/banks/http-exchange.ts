import { Agent, type Dispatcher } from 'undici';

export interface HttpRequest {
  method: 'GET' | 'POST' | 'DELETE';
  origin: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** From now to the last byte of the answer. */
  timeoutMs: number;
}

/** What became of one request, as far as we can know it. */
export type HttpExchange =
  | { kind: 'answered'; status: number; body: string }
  /** Certainly not one byte of it left: no address, no connection, no TLS. */
  | { kind: 'not_sent'; text: string }
  /** It left, or may have, and no whole answer came. */
  | { kind: 'lost'; text: string };

/** What a request is said to have failed of where we gave up on it. */
export const deadlineText = 'deadline';

const connectTimeoutMs = 2_000;
const longestAnswerBytes = 1024 * 1024;

/** `ca` is an authority to trust instead of the usual ones. */
export function createHttpAgent({ ca }: { ca?: string } = {}): Agent {
  return new Agent({
    connect: { timeout: connectTimeoutMs, ...(ca === undefined ? {} : { ca }) },
    // Over HTTP/2 the client sends a request again by itself where the server refused its stream: one that pays, too.
    allowH2: false,
    // An idle connection that the other side closes as we write to it would be a request whose fate is unknown.
    keepAliveTimeout: 4_000,
    pipelining: 1,
  });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason given';
  const code: unknown = Reflect.get(error, 'code');
  return typeof code === 'string' ? code : error.name;
}

/**
 * One request and its answer. The client tells when it takes a request up to write it to a connection that stands: before
 * that moment nothing can have left, and after it anything may.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly done = Promise.withResolvers<HttpExchange>();
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #bytes = 0;
  #ended = false;

  constructor(timeoutMs: number) {
    this.#timer = setTimeout(() => this.#giveUp(new Error(deadlineText)), timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Given up while it waited for a connection: it must not be written any more.
    if (this.#ended) controller.abort(new Error(deadlineText));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > longestAnswerBytes) this.#giveUp(new Error('answer too long'));
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#end({ kind: 'answered', status: this.#status, body: Buffer.concat(this.#chunks).toString() });
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#end({ kind: this.#controller === undefined ? 'not_sent' : 'lost', text: reasonOf(error) });
  }

  #giveUp(error: Error): void {
    const kind = this.#controller === undefined ? 'not_sent' : 'lost';
    this.#end({ kind, text: error.message });
    this.#controller?.abort(error);
  }

  #end(result: HttpExchange): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.done.resolve(result);
  }
}

export async function exchange(agent: Agent, request: HttpRequest): Promise<HttpExchange> {
  const { timeoutMs, body, ...options } = request;
  const handler = new Exchange(timeoutMs);
  agent.dispatch({ ...options, headers: { ...options.headers }, body: body ?? null }, handler);
  return handler.done.promise;
}
