import type { FastifyInstance } from 'fastify';
import { Refusal } from '../platform/refusal.ts';

function refuse(reason: string): Refusal {
  return new Refusal({ code: 'invalid_json', message: `The body is not a JSON object: ${reason}.` });
}

/** Nothing but a JSON object is a body here. A key that could reach an object's prototype makes it unreadable. */
export function readJsonObjects(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) return done(refuse('it is empty'));
    return parse(request, body.toString(), (error, value) => {
      if (error !== null) return done(refuse('it could not be parsed'));
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        return done(refuse('it has to start with { and end with }'));
      }
      return done(null, value);
    });
  });
}
