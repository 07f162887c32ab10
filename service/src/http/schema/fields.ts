import { Type, type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import { patterns } from './patterns.ts';

// The kinds of field that many resources have. Each is validation, serialisation, description and type in one.

export const money = (description: string) => Type.String({ pattern: patterns.money, description });
export const uuid = (description: string) => Type.String({ format: 'uuid', description });
export const dateTime = (description: string) => Type.String({ format: 'date-time', description });

/** An address that somebody may write to: as long as mails allow, and no longer. */
export const EmailAddress = Type.String({
  format: 'email',
  pattern: patterns.emailLength,
  description: 'The email address of the person.',
});

export const oneOf = <const Word extends string>(words: readonly Word[], more: object = {}) =>
  Type.Unsafe<Word>({ enum: words, type: 'string', ...more });

export const Environment = oneOf(['sandbox', 'live'], {
  description: '`sandbox` moves test money, `live` real money.',
});

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
  Type.Object(
    {
      object: Type.Literal('list', { description: 'Always `list`.' }),
      data: Type.Array(item, { description: 'One page of the list.' }),
    },
    more,
  );

/** A list as the reference shows it. */
export const listExample = <Item>(...data: Item[]) => ({ object: 'list' as const, data });

/** Taken by every route that asks who is calling. What a person says here is looked at before the rest (named-environment.ts). */
export const environmentQuery = {
  environment: Type.Optional(
    Type.Unknown({
      'x-described-as': { type: 'string', enum: ['sandbox', 'live'], examples: ['sandbox'] },
      description:
        'Dashboard sessions only: an API key decides the environment itself. Reads default to `sandbox`; writes must specify it.',
    }),
  ),
};
export const Query = Type.Object(environmentQuery, { additionalProperties: false });
