import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HookHandlerDoneFunction,
} from 'fastify';
import { ApiError } from '../../platform/api-error.ts';
import { retryLater } from '../../platform/database/too-busy.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How long a request to this route may take until it is answered, where that is not the usual time. */
    deadlineMs?: number;
  }
  interface FastifyReply {
    deadline: NodeJS.Timeout | null;
    /** Begins the time of a read anew, and adds what it waits on purpose. */
    extendDeadline: (byMs: number) => void;
  }
}

/** Callers are told 2 s and 10 s. The rest is for the network, and for a process or a machine that is busy. */
const deadlines = { readMs: 1_800, writeMs: 9_500 };
/** For files: their first page, or all of a document that is drawn. */
export const fileDeadlineMs = 30_000;

const readingMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

type SendError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => Promise<void>;
type DeadlineHook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;

/** It says nothing of what was done: the work may still come to its end. */
function tooLate(isWrite: boolean): ApiError {
  const what = isWrite
    ? 'Kelpie could not finish this request in time. It may still take effect.'
    : 'Kelpie could not answer in time.';
  return new ApiError({ code: 'unavailable', message: `${what} ${retryLater}`, internal: 'request_deadline' });
}

interface Rule {
  afterMs: number;
  isWrite: boolean;
}

/**
 * Answers a request whose time is over, whatever it waits for. What it was doing ends by deadlines of its own, and its answer
 * is thrown away.
 */
function createDeadlineHook(
  sendError: SendError,
  thrownAway: FastifyBaseLogger,
  { afterMs, isWrite }: Rule,
): DeadlineHook {
  const answer = (request: FastifyRequest, reply: FastifyReply): void => {
    if (reply.sent || reply.raw.headersSent || reply.raw.destroyed) return;
    // Who is still sending has a deadline of its own, which is answered with 408.
    if (!request.raw.complete) return start(request, reply);
    void sendError(tooLate(isWrite), request, reply);
    reply.log = thrownAway;
  };
  // A process that was held up reads first what has arrived meanwhile: the answer may be among it.
  const expire = (request: FastifyRequest, reply: FastifyReply): void => void setImmediate(answer, request, reply);
  const start = (request: FastifyRequest, reply: FastifyReply): void => {
    reply.deadline = setTimeout(expire, afterMs, request, reply).unref();
  };
  return (request, reply, done) => {
    start(request, reply);
    done();
  };
}

/** Every request of the API and of the banks is answered in time. Pages and files of the dashboard touch no database. */
function hasDeadline(url: string): boolean {
  return url === '/' || url.startsWith('/v1') || url.startsWith('/bank-webhooks');
}

/** Gives every route its deadline. What is returned is for what has no route. */
export function setDeadlines(app: FastifyInstance, sendError: SendError): DeadlineHook {
  const thrownAway = app.log.child({});
  thrownAway.level = 'silent';
  const hooks = new Map<string, DeadlineHook>();
  const hookFor = (rule: Rule): DeadlineHook => {
    const name = `${rule.afterMs} ${rule.isWrite}`;
    const hook = hooks.get(name) ?? createDeadlineHook(sendError, thrownAway, rule);
    hooks.set(name, hook);
    return hook;
  };
  app.decorateReply('deadline', null);
  app.decorateReply('extendDeadline', function extendDeadline(this: FastifyReply, byMs: number) {
    if (this.deadline !== null) clearTimeout(this.deadline);
    hookFor({ afterMs: deadlines.readMs + byMs, isWrite: false })(this.request, this, () => undefined);
  });
  app.addHook('onRoute', (route) => {
    if (!hasDeadline(route.url)) return;
    const methods = [route.method].flat();
    const isWrite = route.config?.access !== 'readers' && !methods.every((method) => readingMethods.has(method));
    const usual = isWrite ? deadlines.writeMs : deadlines.readMs;
    const afterMs = route.config?.deadlineMs ?? usual;
    const own = route.onRequest === undefined ? [] : [route.onRequest].flat();
    route.onRequest = [hookFor({ afterMs, isWrite }), ...own];
  });
  app.addHook('onResponse', (_request, reply, done) => {
    if (reply.deadline !== null) clearTimeout(reply.deadline);
    done();
  });
  return hookFor({ afterMs: deadlines.readMs, isWrite: false });
}
