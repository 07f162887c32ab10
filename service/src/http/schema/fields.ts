import { Type, type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import { patterns } from './patterns.ts';

// The kinds of field that many resources have. Each is validation, serialisation, description and type in one.

export const MoneyString = Type.String({ pattern: patterns.money, examples: ['850.00'] });
export const Id = Type.String({ format: 'uuid' });
export const Instant = Type.String({ format: 'date-time' });

/** An address that somebody may write to: as long as mails allow, and no longer. */
export const EmailAddress = Type.String({
  format: 'email',
  pattern: patterns.emailLength,
  examples: ['ada@example.com'],
});

export const oneOf = <const Word extends string>(words: readonly Word[], more: object = {}) =>
  Type.Unsafe<Word>({ enum: words, type: 'string', ...more });

export const Environment = oneOf(['sandbox', 'live']);

// A union of types would be told apart by a validator at every answer; a list of types is not.
export const nullableText = (more: object = {}) => Type.Unsafe<string | null>({ type: ['string', 'null'], ...more });
export const nullableObject = <Properties extends TProperties>(
  schema: TObject<Properties>,
  more: { description?: string } = {},
) => Type.Unsafe<Static<TObject<Properties>> | null>({ ...schema, type: ['object', 'null'], ...more });
export const nullableInstant = (more: object = {}) => nullableText({ format: 'date-time', ...more });
export const nullableUri = (more: object = {}) => nullableText({ format: 'uri', ...more });

/** A list of at most 200, as every list of the API is given. */
export const listOf = <Item extends TSchema>(item: Item, more: { description?: string } = {}) =>
  Type.Object({ object: Type.Literal('list'), data: Type.Array(item) }, more);

/** Taken by every route that asks who is calling. What a person says here is looked at before the rest (named-environment.ts). */
export const environmentQuery = {
  environment: Type.Optional(
    Type.Unknown({
      'x-described-as': { type: 'string', enum: ['sandbox', 'live'] },
      description:
        'Ignored for an API key, which decides it. A person names it: to look, `sandbox` is understood; what does something has to say it.',
    }),
  ),
};
export const Query = Type.Object(environmentQuery, { additionalProperties: false });
