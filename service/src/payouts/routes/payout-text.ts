import type { FastifyReply } from 'fastify';
import type { ShownPayout } from '../model/payout.ts';
import { payoutBody } from './wire-form.ts';

/** A payout that is kept as it was read is written as JSON once. */
const texts = new WeakMap<ShownPayout, string>();

function payoutText(payout: ShownPayout): string {
  const known = texts.get(payout);
  if (known !== undefined) return known;
  const text = JSON.stringify(payoutBody(payout));
  texts.set(payout, text);
  return text;
}

function answerWithJson(reply: FastifyReply, text: string): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8').send(text);
}

/** The same as the route's schema makes of `payoutBody`. */
export function answerWithPayout(reply: FastifyReply, payout: ShownPayout): FastifyReply {
  return answerWithJson(reply, payoutText(payout));
}

/** The same of a list. */
export function answerWithPayouts(reply: FastifyReply, payouts: readonly ShownPayout[]): FastifyReply {
  return answerWithJson(reply, `{"object":"list","data":[${payouts.map(payoutText).join(',')}]}`);
}
