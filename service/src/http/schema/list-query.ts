import { Type } from 'typebox';
import { dateTimeRule, invalidRequest } from './field-problems.ts';
import { patterns } from './patterns.ts';

/** How many a page of a list has. In an address it is a text; what is meant is a number. */
export function limitField({ description = 'How many to return.' } = {}) {
  return Type.Optional(
    Type.String({
      pattern: patterns.listLimit,
      description,
      'x-described-as': { type: 'integer', minimum: 1, maximum: 200, default: 50, examples: [50] },
    }),
  );
}

/** Where a page begins, in whatever form this list has. */
export function cursorField(pattern: string, example: string) {
  return Type.Optional(
    Type.String({
      pattern,
      description: 'Where the page starts. Take it from the `Link` header of the page before.',
      examples: [example],
    }),
  );
}

function instantField(description: string) {
  return Type.Optional(
    Type.String({ format: 'date-time', maxLength: 40, description, examples: ['2026-11-01T00:00:00Z'] }),
  );
}

/** The filters by time of a list, in its own word for how something began. */
export function createdFields(began: string) {
  return {
    created_after: instantField(`${began} after this time.`),
    created_before: instantField(`${began} before this time.`),
  };
}

interface CreatedQuery {
  created_after?: string;
  created_before?: string;
}

function instantFrom(query: CreatedQuery, field: keyof CreatedQuery): Date | undefined {
  const text = query[field];
  if (text === undefined) return undefined;
  const instant = new Date(text);
  // A leap second, say, has the form of an instant and is none that we can count.
  if (!Number.isNaN(instant.getTime())) return instant;
  throw invalidRequest([{ path: field, rule: dateTimeRule }]);
}

export function createdFrom(query: CreatedQuery): { createdAfter?: Date; createdBefore?: Date } {
  const createdAfter = instantFrom(query, 'created_after');
  const createdBefore = instantFrom(query, 'created_before');
  return {
    ...(createdAfter === undefined ? {} : { createdAfter }),
    ...(createdBefore === undefined ? {} : { createdBefore }),
  };
}
