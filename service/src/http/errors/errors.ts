import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { errorCodes } from './error-codes.ts';
import { fieldProblems, invalidRequest } from '../schema/field-problems.ts';
import { nameSchema } from '../schema/schemas.ts';
import { databaseStateOf } from '../../platform/database/database-state.ts';
import { CommitUncertain, commitUncertain, databaseUnavailable } from '../../platform/database/unavailable.ts';
import { ApiError, type ApiErrorCode } from '../../platform/api-error.ts';

export const errorFields = {
  code: Type.String({ description: 'What kind of error it is. Stable: write your code against it.' }),
  message: Type.String({ description: 'What happened and what to do, for people. It may be reworded at any time.' }),
};

export const ErrorSchema = nameSchema(
  'Error',
  Type.Object({
    error: Type.Object({ ...errorFields, details: Type.Optional(Type.Unknown()) }),
  }),
);

interface ErrorBody {
  error: { code: ApiErrorCode; message: string; details?: unknown };
}

export function errorBody({ code, message, details }: Pick<ApiError, 'code' | 'message' | 'details'>): ErrorBody {
  return { error: details === undefined ? { code, message } : { code, message, details } };
}

export const nothingHere = {
  code: 'not_found',
  message: 'Nothing exists at this address. Check the path and the id.',
} as const;
export const notReadable = {
  code: 'malformed_request',
  message: 'The request is not valid HTTP/1.1.',
} as const;
const ourFault = {
  code: 'internal_error',
  message: 'Something went wrong on our side.',
  contactSupport: true,
} as const;

/** What the framework itself refuses, in our words. */
const frameworkErrors = new Map<string, { code: ApiErrorCode; message: string }>(
  Object.entries({
    FST_ERR_CTP_BODY_TOO_LARGE: {
      code: 'payload_too_large',
      message: 'The body is larger than 64 KB.',
    },
    FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
      code: 'malformed_request',
      message: 'The Content-Length header does not match the length of the body.',
    },
    FST_ERR_CTP_INVALID_MEDIA_TYPE: {
      code: 'unsupported_media_type',
      message: 'Send a JSON body with the header Content-Type: application/json.',
    },
    FST_ERR_BAD_URL: nothingHere,
    FST_ERR_MAX_PARAM_LENGTH: nothingHere,
  }),
);

function isFrameworkError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('FST_');
}

/**
 * Turns whatever was thrown into the one thing that a caller sees. The state of the database is never a 500. What we did not
 * foresee says nothing of its cause.
 */
function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof CommitUncertain) return commitUncertain(error);
  const state = databaseStateOf(error);
  if (state !== undefined) return databaseUnavailable(state, error);
  return isFrameworkError(error) ? asFrameworkError(error) : new ApiError(ourFault);
}

function asFrameworkError(error: FastifyError): ApiError {
  // An id that has not the form of an id is not the id of anything.
  if (error.validationContext === 'params') return new ApiError(nothingHere);
  if (error.validation !== undefined) {
    return invalidRequest(fieldProblems(error.validation));
  }
  const known = frameworkErrors.get(error.code);
  if (known !== undefined) return new ApiError(known);
  const callersFault = error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500;
  return new ApiError(callersFault ? notReadable : ourFault);
}

const apiErrors = new WeakMap<FastifyRequest, ApiError>();

/** What a request was refused with, or undefined. */
export function apiErrorOf(request: FastifyRequest): ApiError | undefined {
  return apiErrors.get(request);
}

/**
 * Who is still sending a body shall read our answer, and the framework would close the connection before: what comes is
 * thrown away instead, for as long as a request may take. Not so a body in chunks: a million of them, of a byte each, take
 * long even to be thrown away.
 */
function closeOrKeep({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (!raw.complete && raw.headers['transfer-encoding'] !== undefined) reply.header('connection', 'close');
  else if (reply.hasHeader('connection') && reply.raw.shouldKeepAlive) reply.header('connection', 'keep-alive');
}

type SendError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => Promise<void>;

interface ErrorSenderDeps {
  supportEmail: string;
  /** For a 503 that does not say so itself. */
  retryAfterSeconds: () => number;
}

/** Answers with whatever was thrown. Where only we can help, the message ends with the address to write to. */
export function createErrorSender({ supportEmail, retryAfterSeconds }: ErrorSenderDeps): SendError {
  return async (error, request, reply) => {
    const apiError = asApiError(error);
    const { status } = errorCodes[apiError.code];
    apiErrors.set(request, apiError);
    if (status === 500) request.log.error({ error }, 'request.failed');
    else if (apiError.internal !== undefined) {
      // Of what an outage repeats, the reason is enough.
      const reason = status === 503 ? { error_code: apiError.internal } : { error: apiError };
      request.log.warn(reason, 'request.refused');
    }
    const retryAfter = apiError.retryAfterSeconds ?? (status === 503 ? retryAfterSeconds() : undefined);
    if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
    closeOrKeep(request, reply);
    const { code, details, contactSupport } = apiError;
    const contact = ` Contact support at ${supportEmail} and quote Request-Id ${request.id}.`;
    const message = contactSupport ? apiError.message + contact : apiError.message;
    await reply.code(status).type('application/json; charset=utf-8').send(errorBody({ code, message, details }));
  };
}
