import { BlockList, isIPv6 } from 'node:net';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Logger } from '../../platform/logging.ts';
import type { RateRule } from '../../platform/rate-limits/token-leases.ts';
import { networkOf } from './caller-network.ts';
import { countRefusals } from './count-refusals.ts';
import { createLocalLimit } from './local-limit.ts';
import { tooMany } from './too-many.ts';

/** More than a monitor asks. */
const ofOne: RateRule = { perSecond: 2, burst: 60 };
const ofAll: RateRule = { perSecond: 20, burst: 200 };

type ProbeHook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;

interface ProbeDeps {
  logger: Pick<Logger, 'warn'>;
  trustedProxies: readonly string[] | null;
  now: () => number;
}

const loopback = ['127.0.0.0/8', '::1'];

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list;
}

/** Written by a proxy: what comes with one of these comes from behind it. */
const forwarding = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'];

/**
 * Strangers may ask how we are, a little. The probes of a load balancer are not counted: if a flood made it think that a process
 * can't serve, the flood would have what it wants. Nothing here asks the database.
 */
export function limitProbes({ logger, trustedProxies, now }: ProbeDeps): ProbeHook {
  const own = listOf([...loopback, ...(trustedProxies ?? [])]);
  const isOwn = ({ raw: { headers, socket } }: FastifyRequest): boolean =>
    own.check(socket.remoteAddress ?? '', familyOf(socket.remoteAddress ?? '')) &&
    forwarding.every((name) => headers[name] === undefined);
  const each = createLocalLimit(ofOne, now);
  const together = createLocalLimit(ofAll, now);
  const report = countRefusals(logger, 'probe');
  return (request, reply, done) => {
    if (isOwn(request)) {
      done();
      return;
    }
    const wait = each.take(networkOf(request.ip)) || together.take('all');
    if (wait === 0) {
      done();
      return;
    }
    reply.isQuiet = true;
    report();
    done(tooMany(wait));
  };
}
