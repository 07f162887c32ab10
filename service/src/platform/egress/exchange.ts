import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { BoundedBody, boundHeaders } from './bounded-answer.ts';
import { whyNotAnswered, type FailureReason } from './connect-failure.ts';

export type EgressResult =
  | {
      kind: 'answered';
      status: number;
      latencyMs: number;
      /** At most 30, and 4 KB. */
      headers: Record<string, string>;
      /** The first 2 KB. */
      body: string;
    }
  | { kind: 'failed'; latencyMs: number; reason: FailureReason };

/** One request, from now to the last byte of the answer that is read. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #done = Promise.withResolvers<EgressResult>();
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #body = new BoundedBody();
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: Record<string, string> = {};
  #ended = false;

  constructor(timeoutMs: number) {
    this.#timer = setTimeout(() => this.#fail('timeout'), timeoutMs);
  }

  get result(): Promise<EgressResult> {
    return this.#done.promise;
  }

  /** Ends it for a reason of our own, which the caller gets as the error. */
  abort(reason: unknown): void {
    if (this.#finish()) this.#done.reject(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Given up while it waited for a connection: it must not be sent any more.
    if (this.#ended) controller.abort(new Error('given up'));
  }

  /** Also called for answers like 103, which others follow. */
  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = boundHeaders(headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#body.add(chunk)) this.#answer();
  }

  onResponseEnd(): void {
    // The connection is free for the next request, so it is not aborted.
    this.#controller = undefined;
    this.#answer();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#fail(whyNotAnswered(error));
  }

  #latencyMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }

  #answer(): void {
    const answer = { status: this.#status, headers: this.#headers, body: this.#body.text() };
    const latencyMs = this.#latencyMs();
    if (this.#finish()) this.#done.resolve({ kind: 'answered', latencyMs, ...answer });
  }

  #fail(reason: FailureReason): void {
    const latencyMs = this.#latencyMs();
    if (this.#finish()) this.#done.resolve({ kind: 'failed', latencyMs, reason });
  }

  /** True the first time. The rest of an answer is not read: its connection is closed. */
  #finish(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#controller?.abort(new Error('given up'));
    return true;
  }
}
