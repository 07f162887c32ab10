import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Fault, FaultKind } from '../faults.ts';
import { sendJson } from '../http/server.ts';

interface Exchange {
  fault: Fault;
  request: FastifyRequest;
  reply: FastifyReply;
}

/**
 * Whether the fault has answered itself, or all goes on. Not the reply: a reply that is awaited waits for its own end,
 * and then is undefined.
 */
type Spoilt = 'answered' | 'goes on';

const page = '<!doctype html><html><head><title>Welcome</title></head><body><h1>It works!</h1></body></html>';

function errorText(code: string): string {
  return JSON.stringify({ code, message: 'An injected fault.' });
}

function hangUp({ request, reply }: Exchange): Spoilt {
  reply.hijack();
  request.raw.socket.destroy();
  return 'answered';
}

async function holdUp({ fault }: Exchange): Promise<Spoilt> {
  await wait(fault.delayMs);
  return 'goes on';
}

function answerWith({ reply }: Exchange, status: number, text: string): Spoilt {
  sendJson(reply, status, text);
  return 'answered';
}

/** Nonsense comes with the status of a success: that is what makes it dangerous. */
function success({ request }: Exchange): number {
  return request.method === 'POST' ? 201 : 200;
}

function twist(value: unknown): unknown {
  if (typeof value === 'string') return 7;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return [];
}

/** Every text becomes a number, every number a text, and every object an empty list. */
function withWrongTypes(text: string): string {
  const answer: unknown = JSON.parse(text);
  if (typeof answer !== 'object' || answer === null) return '7';
  return JSON.stringify(Object.fromEntries(Object.entries(answer).map(([key, value]) => [key, twist(value)])));
}

const otherId = '00000000-0000-4000-8000-000000000000';

/** The same answer with something else in one place, in each transfer where it is a list. */
function withChange(text: string, change: (transfer: object) => object): string {
  const answer: unknown = JSON.parse(text);
  if (typeof answer !== 'object' || answer === null) return text;
  if (!('data' in answer) || !Array.isArray(answer.data)) return JSON.stringify(change(answer));
  return JSON.stringify({ ...answer, data: answer.data.map((one: object) => change(one)) });
}

function destinationOf(transfer: object): object {
  return 'destination' in transfer && typeof transfer.destination === 'object' ? (transfer.destination ?? {}) : {};
}

function changed(change: (transfer: object) => object): (exchange: Exchange, text: string) => Spoilt {
  return (exchange, text) => answerWith(exchange, success(exchange), withChange(text, change));
}

const before: Partial<Record<FaultKind, (exchange: Exchange) => Spoilt | Promise<Spoilt>>> = {
  reject: (exchange) => answerWith(exchange, exchange.fault.status, errorText(exchange.fault.code)),
  error_before: (exchange) => answerWith(exchange, 500, errorText('internal_error')),
  drop_request: hangUp,
  delay: holdUp,
};

const afterwards: Partial<Record<FaultKind, (exchange: Exchange, text: string) => Spoilt | Promise<Spoilt>>> = {
  error_after: (exchange) => answerWith(exchange, 500, errorText('internal_error')),
  drop_reply: hangUp,
  delay_reply: holdUp,
  truncated: (exchange, text) => answerWith(exchange, success(exchange), text.slice(0, Math.floor(text.length / 2))),
  wrong_types: (exchange, text) => answerWith(exchange, success(exchange), withWrongTypes(text)),
  other_reference: changed((transfer) => ({ ...transfer, client_reference_id: otherId })),
  other_amount: changed((transfer) => ({ ...transfer, destination: { ...destinationOf(transfer), amount: '0.01' } })),
  other_account: changed((transfer) => ({
    ...transfer,
    destination: { ...destinationOf(transfer), external_account_id: otherId },
  })),
  no_amounts: changed((transfer) => ({ ...transfer, receipt: {} })),
  empty: (exchange) => answerWith(exchange, success(exchange), ''),
  html(exchange) {
    void exchange.reply.code(success(exchange)).type('text/html; charset=utf-8').send(page);
    return 'answered';
  },
};

/** What a fault does before the bank has done anything. Once it has answered, the bank does nothing at all. */
export async function spoilRequest(exchange: Exchange): Promise<Spoilt> {
  return before[exchange.fault.kind]?.(exchange) ?? 'goes on';
}

/** What a fault does with the true answer, once the bank has done its work and committed it. */
export async function spoilReply(exchange: Exchange, text: string): Promise<Spoilt> {
  return afterwards[exchange.fault.kind]?.(exchange, text) ?? 'goes on';
}
