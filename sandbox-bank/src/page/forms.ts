import type { FastifyRequest } from 'fastify';
import { ApiError, notFound } from '../http/api-error.ts';

/** Looks up a path parameter in a table. */
export function choose<Choice>(
  request: FastifyRequest,
  name: string,
  choices: Readonly<Record<string, Choice>>,
): Choice {
  const { params } = request;
  const word: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, name) : undefined;
  const choice = typeof word === 'string' && Object.hasOwn(choices, word) ? choices[word] : undefined;
  if (choice === undefined) throw notFound('address');
  return choice;
}

/** Any page in the same browser could send these forms, so the origin must be ours. */
export function refuseStrangers(request: FastifyRequest): void {
  const { origin, host } = request.headers;
  if (request.method === 'GET' || origin === undefined || origin === `http://${host}`) return;
  throw new ApiError({ code: 'unauthorized', message: 'This form must be sent from the sandbox bank’s own page.' });
}
