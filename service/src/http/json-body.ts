import type { FastifyInstance } from 'fastify';
import { ApiError } from '../platform/api-error.ts';

function refuse(reason: string): ApiError {
  return new ApiError({ code: 'invalid_json', message: `The body is not a JSON object: ${reason}.` });
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const byteOrderMark = '\ufeff';

function decode(body: Buffer): string | undefined {
  try {
    return utf8.decode(body);
  } catch {
    return undefined;
  }
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

/** In JSON that is known to be right. What is in a text is none of ours. */
function countColons(json: string): number {
  let colons = 0;
  let isInText = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === quote) isInText = !isInText;
    else if (code === backslash) at += 1;
    else if (code === colon && !isInText) colons += 1;
  }
  return colons;
}

/** Without recursion: a body can be nested deeper than the stack is. */
function countFields(body: object): number {
  let fields = 0;
  const found: object[] = [body];
  for (let around = found.pop(); around !== undefined; around = found.pop()) {
    const deps: unknown[] = Array.isArray(around) ? around : Object.values(around);
    if (deps !== around) fields += deps.length;
    for (const part of deps) if (typeof part === 'object' && part !== null) found.push(part);
  }
  return fields;
}

/** Of a field that is named twice the parser keeps the last: then there are more colons than fields. */
function namesAFieldTwice(json: string, value: object): boolean {
  return countColons(json) !== countFields(value);
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether no body is the same as an empty object. */
    bodyIsOptional?: boolean;
  }
}

/** Nothing but a JSON object is a body here. A key that could reach an object's prototype makes it unreadable. */
export function readJsonObjects(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.body === undefined && request.routeOptions.config.bodyIsOptional === true) request.body = {};
    done();
  });
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    // Many clients say that they send JSON also where they send nothing: where nothing is asked for, that is well.
    if (body.length === 0) {
      const { schema, config } = request.routeOptions;
      const mayBeEmpty = schema?.body === undefined || config.bodyIsOptional === true;
      return mayBeEmpty ? done(null, undefined) : done(refuse('it is empty'));
    }
    // Bytes that are no text would be replaced in silence otherwise, and a name written wrong.
    const text = decode(body);
    if (text === undefined) return done(refuse('it is not UTF-8'));
    if (text.startsWith(byteOrderMark)) return done(refuse('it starts with a byte-order mark'));
    return parse(request, text, (error, value: unknown) => {
      if (error !== null) return done(refuse('it is not valid JSON'));
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        return done(refuse('it is not an object'));
      }
      if (namesAFieldTwice(text, value)) return done(refuse('it names a field twice'));
      return done(null, value);
    });
  });
}
