import { Type } from 'typebox';
import { patterns } from './patterns.ts';
import { nameSchema } from './schemas.ts';

/** A field of every request that a person may have to confirm. */
export const ConfirmCode = Type.Optional(
  Type.String({
    pattern: patterns.sixDigits,
    examples: ['204816'],
    description: 'The emailed code that confirms this change. Send the request without it to get one.',
  }),
);

/** The optional body of a DELETE: a code never stands in a URL. Such a route says `bodyIsOptional` in its config. */
export const ConfirmRequest = nameSchema(
  'ConfirmRequest',
  Type.Object(
    { confirm_code: ConfirmCode },
    { additionalProperties: false, description: 'The code, once you have it.' },
  ),
);
