import type { FastifyInstance } from 'fastify';
import { Refusal } from '../platform/refusal.ts';

function refuse(reason: string): Refusal {
  return new Refusal({ code: 'invalid_json', message: `The body is not a JSON object: ${reason}.` });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(body: Buffer): string | undefined {
  try {
    return utf8.decode(body);
  } catch {
    return undefined;
  }
}

/** Nothing but a JSON object is a body here. A key that could reach an object's prototype makes it unreadable. */
export function readJsonObjects(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) return done(refuse('it is empty'));
    // Bytes that are no text would be replaced in silence otherwise, and a name written wrong.
    const text = decode(body);
    if (text === undefined) return done(refuse('it is not UTF-8'));
    return parse(request, text, (error, value) => {
      if (error !== null) return done(refuse('it could not be parsed'));
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        return done(refuse('it has to start with { and end with }'));
      }
      return done(null, value);
    });
  });
}
