import { errorCodes } from './error-codes.ts';
import { errorDetails } from './error-details.ts';
import { errorFields } from './errors.ts';

// The error body as the reference describes it. It is written out by a looser schema, which costs an answer less.

const codes = Object.entries(errorCodes);

const refTo = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

/** The codes that share a kind of details, and that kind. */
const variants = [...Map.groupBy(codes, ([, { details }]) => details)].map(([details, ofKind]) => {
  const code = { type: 'string', enum: ofKind.map(([name]) => name) };
  return details === undefined
    ? { title: 'Without details', properties: { code }, required: ['code'] }
    : { title: details, properties: { code, details: refTo(details) }, required: ['code', 'details'] };
});

export const describedError = {
  type: 'object',
  description: 'The body of every response that is not a success.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      description: 'What went wrong.',
      required: ['code', 'message'],
      properties: {
        code: { ...errorFields.code, enum: codes.map(([name]) => name) },
        message: errorFields.message,
        details: {
          description: 'More about the error. Its form depends on `code`.',
          anyOf: Object.keys(errorDetails).map(refTo),
        },
      },
      oneOf: variants,
    },
  },
};

/** The details by their names. */
export const errorDetailSchemas: Record<string, object> = { ...errorDetails };

/** An answer of each code, by the code. */
export const errorExamples = Object.fromEntries(
  codes.map(([code, { cause, example }]) => [code, { summary: cause, value: { error: { code, ...example } } }]),
);
