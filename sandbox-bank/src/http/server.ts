import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { isId } from '../ids.ts';
import type { Log } from '../log.ts';
import { ApiError, notFound } from './api-error.ts';

const bodyLimitBytes = 64 * 1024;
const notRead = 400;
const failed = 500;

/** The framework's own refusals are a caller's fault; anything else is ours, and its cause is for the log alone. */
function asApiError(error: FastifyError | ApiError, log: Log): { status: number; body: object } {
  if (error instanceof ApiError) return error;
  const status = error.statusCode ?? failed;
  if (status < failed) {
    return { status: notRead, body: { code: 'invalid_parameters', message: 'The request could not be read.' } };
  }
  log('request.failed', { reason: error.stack ?? error.message });
  return new ApiError({ code: 'internal_error', message: 'Something went wrong on our side.' });
}

/** An empty body is an empty object: half of the control routes need nothing but their address. */
function readJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text.length === 0) return done(null, {});
    return parse(request, text.toString(), done);
  });
}

export function createServer(log: Log): FastifyInstance {
  const app = Fastify({
    bodyLimit: bodyLimitBytes,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
  });
  readJson(app);
  app.setErrorHandler(async (error: FastifyError, _request, reply) => {
    const { status, body } = asApiError(error, log);
    return reply.code(status).send(body);
  });
  app.setNotFoundHandler(() => {
    throw notFound('address');
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    const durationMs = Math.round(reply.elapsedTime);
    log('request.done', { method: request.method, route, status: reply.statusCode, duration_ms: durationMs });
    done();
  });
  return app;
}

/** Reads an id out of the address. Its name says what is missing: wallet_id → "No such wallet." */
export function idReader(request: FastifyRequest): (name: string) => string {
  return (name) => {
    const { params } = request;
    const id: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, name) : undefined;
    if (typeof id === 'string' && isId(id)) return id;
    throw notFound(name.replace(/_id$/, '').replaceAll('_', ' '));
  };
}

export function sendJson(reply: FastifyReply, status: number, text: string): void {
  void reply.code(status).type('application/json; charset=utf-8').send(text);
}
