import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { networkOf } from '../../http/limits/caller-network.ts';
import { countRefusals } from '../../http/limits/count-refusals.ts';
import { createLocalLimit } from '../../http/limits/local-limit.ts';
import { tooMany } from '../../http/limits/too-many.ts';
import type { Logger } from '../../platform/logging.ts';

/** Many times what a bank sends. */
const ofOneSender = { perSecond: 500, burst: 5_000 };
/** Who forges is not read any more, unless it also sends genuine ones: a bank may share its address with others. */
const forgedByOne = { perSecond: 0.1, burst: 20 };
/** By all who have sent no genuine webhook yet. */
const forgedByAll = { perSecond: 5, burst: 200 };

const mostSenders = 1_000;

interface WebhookLimit {
  /** Before the body is read. */
  hook: (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;
  /** The signature was a bank's: what others forge is no reason to turn this sender away. */
  recordGenuine: (request: FastifyRequest) => void;
  /** It was no webhook of a bank. */
  recordForged: (request: FastifyRequest, reply: FastifyReply) => void;
}

/** Bounds what forged webhooks cost, in this process and without the database. What is turned away, a bank sends again. */
export function limitWebhooks({ logger, now }: { logger: Pick<Logger, 'warn'>; now: () => number }): WebhookLimit {
  const each = createLocalLimit(ofOneSender, now);
  const forged = createLocalLimit(forgedByOne, now);
  const forgedTogether = createLocalLimit(forgedByAll, now);
  const senders = new Set<string>();
  const report = countRefusals(logger, 'bank_webhook');
  const silence = (reply: FastifyReply): void => {
    reply.isQuiet = true;
    report();
  };
  return {
    hook(request, reply, done) {
      const network = networkOf(request.ip);
      const ofForgers = senders.has(network) ? 0 : forged.waitSeconds(network) || forgedTogether.waitSeconds('all');
      const wait = ofForgers || each.take(network);
      if (wait > 0) silence(reply);
      done(wait > 0 ? tooMany(wait) : undefined);
    },
    recordGenuine(request) {
      if (senders.size < mostSenders) senders.add(networkOf(request.ip));
    },
    recordForged(request, reply) {
      forged.take(networkOf(request.ip));
      forgedTogether.take('all');
      silence(reply);
    },
  };
}
