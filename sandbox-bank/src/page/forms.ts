import type { FastifyRequest } from 'fastify';
import { ApiError, notFound } from '../http/api-error.ts';

/** A word in the address that chooses one of ours. */
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

/** A form can be sent by any page that somebody has open; the browser says by which. */
export function refuseStrangers(request: FastifyRequest): void {
  const { origin, host } = request.headers;
  if (request.method === 'GET' || origin === undefined || origin === `http://${host}`) return;
  throw new ApiError({ code: 'unauthorized', message: 'This form was sent by another page.' });
}
