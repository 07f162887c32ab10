import type { FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { TokenLeases, Verdict } from '../../platform/rate-limits/token-leases.ts';
import type { ApiError } from '../../platform/api-error.ts';
import { networkOf } from './caller-network.ts';
import { tooMany } from './too-many.ts';

/** The limits, and by what each counts. */
export interface RateLimits {
  /** Every request with a key, by the key; of people, by the person. */
  requests: TokenLeases;
  /** Creating payouts, by the key or the person. */
  payouts: TokenLeases;
  /** Inviting people, by the partner: each is a mail to an address that somebody made up. */
  invitations: TokenLeases;
  /** Emails to an address that nobody has proven to be theirs, by the mailbox that they reach. */
  mailboxes: TokenLeases;
  /** Sign-ups, of everybody together: each is a mail to an address that somebody made up. */
  signUps: TokenLeases;
  /** Going from one account to another, by the person: each is two entries in the lists of what was asked. */
  accountChanges: TokenLeases;
  /** Whatever comes without a key of ours, by the network that it comes from. */
  open: TokenLeases;
}

export interface HeaderWriter {
  header(name: string, value: number | string): unknown;
}

/** A hook without a promise of its own: as a rule the answer is there at once. */
export type LimitHook = (request: FastifyRequest, reply: HeaderWriter, done: HookHandlerDoneFunction) => void;

/** Writes what is left into the answer's headers, and gives the refusal where nothing is. */
export function settleLimit(reply: HeaderWriter, verdict: Verdict): ApiError | undefined {
  if (verdict.kind === 'unknown') return undefined;
  reply.header('ratelimit-limit', verdict.limit);
  reply.header('ratelimit-remaining', verdict.remaining);
  reply.header('ratelimit-reset', verdict.resetSeconds);
  if (verdict.kind === 'granted') return undefined;
  return tooMany(verdict.retryAfterSeconds);
}

function limitHook(leases: TokenLeases, idOf: (request: FastifyRequest) => string): LimitHook {
  return (request, reply, done) => {
    const verdict = leases.take(idOf(request));
    if (verdict instanceof Promise) verdict.then((later) => done(settleLimit(reply, later)), done);
    else done(settleLimit(reply, verdict));
  };
}

/** For routes that anybody may ask. */
export function limitByNetwork(leases: TokenLeases): LimitHook {
  return limitHook(leases, (request) => networkOf(request.ip));
}

const brieflyMs = 250;

/** The same for a page that is needed most while the database hangs: a request that waits longer for the shared bucket is let through. */
export function limitBriefly(leases: TokenLeases): LimitHook {
  return (request, reply, done) => {
    const verdict = leases.take(networkOf(request.ip));
    if (!(verdict instanceof Promise)) {
      done(settleLimit(reply, verdict));
      return;
    }
    let isDone = false;
    const settle = (error?: ApiError): void => {
      if (!isDone) done(error);
      isDone = true;
    };
    const timer = setTimeout(() => settle(), brieflyMs);
    void verdict.then((later) => {
      clearTimeout(timer);
      if (!isDone) settle(settleLimit(reply, later));
    });
  };
}

/** For a route with a limit besides that of all requests: it stands behind `requireCaller`, and its headers are what is seen. */
export function limitByCaller(
  leases: TokenLeases,
  callerOf: (request: FastifyRequest) => { limitId: string },
): LimitHook {
  return limitHook(leases, (request) => callerOf(request).limitId);
}

/** The same for what a partner's people share, however many they are and however often they sign in. */
export function limitByPartner(
  leases: TokenLeases,
  callerOf: (request: FastifyRequest) => { partnerId: string },
): LimitHook {
  return limitHook(leases, (request) => callerOf(request).partnerId);
}
