import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { describedAs } from './described-as.ts';

function findLoose(schema: unknown, path: string): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  if ('type' in schema && schema.type === 'object' && !('additionalProperties' in schema)) return path;
  for (const [name, part] of Object.entries(schema)) {
    const loose = findLoose(part, `${path}.${name}`);
    if (loose !== undefined) return loose;
  }
  return undefined;
}

/** For routes that take no parameters. `environment` is accepted on every route, and not described where it means nothing. */
const noParameters = Type.Object(
  { environment: Type.Optional(Type.Unknown({ [describedAs]: false })) },
  { additionalProperties: false },
);

/**
 * A route whose body or query would take unknown fields in silence does not start: a misspelt one would be ignored. A route
 * of the API without a query takes none.
 */
export function requireStrictRequests(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const { url } = route;
    if (url === '/' || url === '/v1' || url.startsWith('/v1/'))
      route.schema = { ...route.schema, querystring: route.schema?.querystring ?? noParameters };
    const loose = findLoose(route.schema?.body, 'body') ?? findLoose(route.schema?.querystring, 'querystring');
    if (loose === undefined) return;
    throw new Error(`${String(route.method)} ${url}: ${loose} has to say additionalProperties: false`);
  });
}
