import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/logging.ts';
import type { Meter } from '../platform/metrics.ts';
import { noTracer, type Tracer } from '../platform/tracing/tracer.ts';
import { ApiError } from '../platform/api-error.ts';
import { trackConnections, type Connections } from './limits/connections.ts';
import { capConnections } from './limits/connection-cap.ts';
import { endStalledReaders } from './limits/stalled-readers.ts';
import { limitChunks } from './limits/chunked-bodies.ts';
import { setDeadlines } from './limits/deadlines.ts';
import { createErrorSender, ErrorSchema, nothingHere } from './errors/errors.ts';
import { readJsonObjects } from './json-body.ts';
import { refuseOtherMethods } from './errors/methods.ts';
import { requireAccessOnRoutes } from './auth/access.ts';
import type { Authentication } from './auth/authentication.ts';
import { ConfirmRequest } from './schema/confirm-code.ts';
import { describedAs } from './schema/described-as.ts';
import { addSchema } from './schema/schemas.ts';
import { oneSerializerAShape } from './schema/serializers.ts';
import { requireStrictRequests } from './schema/strict-schemas.ts';
import { recordRequests } from './request-log.ts';
import { traceRequests } from './traces.ts';
import { browserHeaders } from './browser-headers.ts';
import { answerUnreadableRequest } from './errors/unreadable-request.ts';

export type Server = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

interface ServerDeps {
  clock: Clock;
  logger: Logger;
  meter: Meter;
  /** Nothing is traced where it is not given. */
  tracer?: Tracer;
  /** Where people write for help: errors that only we can resolve name it. */
  supportEmail: string;
  /** Who may say in a header for whom it asks; null for nobody. */
  trustedProxies?: readonly string[] | null;
  /** Where callers reach it: with https, browsers are told to use nothing else. */
  publicUrl?: string;
  /** More connections than these are closed at once; without it there is no end. */
  maxConnections?: number;
  /** When a request that is refused with 503 is worth repeating. */
  retryAfterSeconds: () => number;
}

const bodyLimitBytes = 64 * 1024;
const requestTimeoutMs = 15_000;
/** Of a body that nobody reads yet: in chunks of a byte, more would take long to be put aside. */
const putAsideBytes = 16 * 1024;
/** Longer than a load balancer keeps a connection, so that it is never ours that closes one under a request. */
const keepAliveTimeoutMs = 75_000;

function noHost(): ApiError {
  return new ApiError({ code: 'malformed_request', message: 'The Host header is missing.' });
}

/** Values are neither coerced nor dropped. */
const strictness = {
  allErrors: true,
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: true,
  strict: true,
  keywords: [describedAs],
};

/** What every answer has, whatever comes of the request. */
function beginAnswers(app: Server, headersOfAll: Readonly<Record<string, string>>): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headersOfAll).header('request-id', request.id);
    done(request.raw.headers.host === undefined ? noHost() : undefined);
  });
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
}

/** The rules that hold for every route. Routes are added in between `createServer` and `finish`. */
export function createServer({
  clock,
  logger,
  meter,
  tracer = noTracer,
  trustedProxies,
  publicUrl,
  maxConnections: most = Number.POSITIVE_INFINITY,
  ...deps
}: ServerDeps): {
  app: Server;
  connections: Connections;
  finish: (auth?: Pick<Authentication, 'recogniseKey' | 'findCaller'>) => void;
} {
  const sendError = createErrorSender(deps);
  const headersOfAll = browserHeaders(publicUrl);
  const baseLogger: FastifyBaseLogger = logger;
  const app = Fastify({
    loggerInstance: baseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: () => newId(clock),
    trustProxy: trustedProxies ? [...trustedProxies] : false,
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    http: {
      connectionsCheckingInterval: 1_000,
      // Without it the runtime takes its own 60 s, and gives them to the whole request.
      headersTimeout: requestTimeoutMs,
      highWaterMark: putAsideBytes,
      requireHostHeader: false,
    },
    keepAliveTimeout: keepAliveTimeoutMs,
    // A request on a connection that was open when the drain began is still answered, not turned away with 503.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // Members are named by their addresses, and those can be long.
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 254 },
    ajv: { customOptions: strictness },
    schemaController: { compilersFactory: { buildSerializer: oneSerializerAShape } },
    frameworkErrors: (error, request, reply) => {
      reply.headers(headersOfAll).header('request-id', request.id);
      void sendError(error, request, reply);
    },
    clientErrorHandler: (error, socket) =>
      answerUnreadableRequest(error, socket, {
        headers: { 'Request-Id': newId(clock), ...headersOfAll },
        mayAnswer: connections.mayAnswerUnreadable(socket),
      }),
  }).withTypeProvider<TypeBoxTypeProvider>();
  const connections = trackConnections(app.server);
  capConnections(app.server, { meter, logger, most });
  endStalledReaders(app.server, meter);
  traceRequests(app, tracer);
  const startDeadline = setDeadlines(app, sendError);
  requireStrictRequests(app);
  requireAccessOnRoutes(app);
  readJsonObjects(app);
  limitChunks(app);
  let known: Pick<Authentication, 'findCaller'> | undefined;
  recordRequests(app, meter, (request) => known?.findCaller(request)?.callerId);
  beginAnswers(app, headersOfAll);
  app.addSchema(ErrorSchema.definition);
  addSchema(app, ConfirmRequest, { confirm_code: '204816' });
  app.setErrorHandler(sendError);
  const { finish: refuseMethods } = refuseOtherMethods(app);
  return {
    app,
    connections,
    finish(auth) {
      known = auth;
      const recogniseKey = auth?.recogniseKey;
      const preHandler = recogniseKey === undefined ? [startDeadline] : [startDeadline, recogniseKey];
      app.setNotFoundHandler({ preHandler }, () => {
        throw new ApiError(nothingHere);
      });
      refuseMethods(recogniseKey);
    },
  };
}
