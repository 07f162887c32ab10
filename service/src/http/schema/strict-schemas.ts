import type { FastifyInstance } from 'fastify';

function findLoose(schema: unknown, path: string): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  if ('type' in schema && schema.type === 'object' && !('additionalProperties' in schema)) return path;
  for (const [name, part] of Object.entries(schema)) {
    const loose = findLoose(part, `${path}.${name}`);
    if (loose !== undefined) return loose;
  }
  return undefined;
}

/** A route whose body would take unknown fields in silence does not start. */
export function requireStrictBodies(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const loose = findLoose(route.schema?.body, 'body');
    if (loose === undefined) return;
    throw new Error(`${String(route.method)} ${route.url}: ${loose} has to say additionalProperties: false`);
  });
}
