import { Type, type TSchema } from 'typebox';
import { patterns } from './patterns.ts';

// The kinds of field that many resources have. Each is validation, serialisation, description and type in one.

export const MoneyString = Type.String({ pattern: patterns.money, maxLength: 20, examples: ['850.00'] });
export const Id = Type.String({ format: 'uuid' });
export const Instant = Type.String({ format: 'date-time' });

export const oneOf = <const Words extends string[]>(words: Words, more: object = {}) =>
  Type.Enum(words, { type: 'string', ...more });

export const Environment = oneOf(['sandbox', 'live']);

// A union of types would be told apart by a validator at every answer; a list of types is not.
export const nullableText = (more: object = {}) => Type.Unsafe<string | null>({ type: ['string', 'null'], ...more });
export const nullableInstant = (more: object = {}) => nullableText({ format: 'date-time', ...more });
export const nullableUri = (more: object = {}) => nullableText({ format: 'uri', ...more });

/** A list of at most 200, as every list of the API is given. */
export const listOf = <Item extends TSchema>(item: Item, more: { description?: string } = {}) =>
  Type.Object({ object: Type.Literal('list'), data: Type.Array(item) }, more);

/** Taken by every route that asks for a key, and without effect there. */
export const environmentQuery = {
  environment: Type.Optional(
    Type.Unknown({
      'x-described-as': { type: 'string', enum: ['sandbox', 'live'] },
      description: 'Ignored: the key decides.',
    }),
  ),
};
export const Query = Type.Object(environmentQuery);
