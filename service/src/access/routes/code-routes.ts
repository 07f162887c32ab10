import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { originOf } from '../../http/auth/origin.ts';
import { browserTokenOf } from '../../http/auth/session-cookie.ts';
import { exampleValues } from '../../http/schema/example-values.ts';
import { EmailAddress } from '../../http/schema/fields.ts';
import { patterns } from '../../http/schema/patterns.ts';
import type { LimitHook } from '../../http/limits/rate-limit.ts';
import { openBodyErrors } from '../../http/errors/responses.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { ApiError } from '../../platform/api-error.ts';
import { requestCode, type RequestCodeDeps } from '../signing-in/request-code.ts';
import { codeMs, normalEmail } from '../signing-in/codes.ts';
import type { RequireBudget } from '../signing-in/sign-up-budget.ts';
import type { LimitMailbox } from '../signing-in/mailbox-limit.ts';
import { requirePlainNames } from './plain-names.ts';
import { isReservedSlug } from './reserved-slugs.ts';
import { slugReserved, slugTaken } from './slug-taken.ts';

const CodeRequest = nameSchema(
  'SignInCodeRequest',
  Type.Object({ email: EmailAddress }, { additionalProperties: false, description: 'Who wants to sign in.' }),
);

const solvedExample = {
  challenge: '1795080900000.3q2-7wKxYh0bV4nJcG5tUu8sPzRfLmAaQeTdHiOyXkE',
  nonce: '214773',
};

const SignUpRequest = nameSchema(
  'SignUpRequest',
  Type.Object(
    {
      email: EmailAddress,
      name: Type.String({
        minLength: 1,
        maxLength: 120,
        pattern: patterns.shownName,
        description: 'The name of the business, without a web address or a phone number.',
      }),
      slug: Type.String({
        pattern: patterns.slug,
        description:
          'A short name for the business, used in URLs: 2 to 40 lowercase letters, digits or hyphens. Names that stand for us are reserved.',
      }),
      full_name: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 120,
          pattern: patterns.shownName,
          description: 'The name of the person who signs up, without a web address or a phone number.',
        }),
      ),
      proof_of_work: Type.Optional(
        Type.Object(
          {
            challenge: Type.String({
              maxLength: 100,
              pattern: patterns.anyText,
              description: 'The challenge from `proof_of_work_required`.',
              examples: [solvedExample.challenge],
            }),
            nonce: Type.String({
              maxLength: 40,
              pattern: patterns.anyText,
              description: 'The nonce that solves it.',
              examples: [solvedExample.nonce],
            }),
          },
          {
            additionalProperties: false,
            description: 'Only after `proof_of_work_required`: the challenge, solved.',
            examples: [solvedExample],
          },
        ),
      ),
    },
    { additionalProperties: false, description: 'The account to open, and its first admin.' },
  ),
);

const CodeAsked = nameSchema(
  'SignInCode',
  Type.Object(
    {
      object: Type.Literal('sign_in_code', { description: 'Always `sign_in_code`.' }),
      valid_for_seconds: Type.Integer({ description: 'How long a code is valid, in seconds.' }),
    },
    { description: 'The request was accepted. We do not say whether a code was sent.' },
  ),
);

/** The same for everybody, whatever came of it. */
const codeAsked = { object: 'sign_in_code' as const, valid_for_seconds: codeMs / 1_000 };

interface CodeDeps extends RequestCodeDeps {
  limitOpen: LimitHook;
  refuseForeign: LimitHook;
  limitMailbox: LimitMailbox;
  requireBudget: RequireBudget;
}

function browserOf(request: FastifyRequest) {
  return { origin: originOf(request), browserToken: browserTokenOf(request) ?? null };
}

/** How a code comes to whoever has the address: to sign in, or to sign up. */
export function addCodeRoutes(
  app: Server,
  { limitOpen, refuseForeign, limitMailbox, requireBudget, ...deps }: CodeDeps,
): void {
  addSchema(app, CodeRequest, { email: exampleValues.adminEmail });
  addSchema(app, SignUpRequest, {
    email: exampleValues.adminEmail,
    name: exampleValues.business,
    slug: exampleValues.slug,
    full_name: 'Ada Lovelace',
  });
  addSchema(app, CodeAsked, codeAsked);
  const onRequest = [limitOpen, refuseForeign];
  const code = {
    operationId: 'requestCode',
    summary: 'Send a sign-in code',
    description:
      'Emails a 6-digit code to a member of an account. The code is valid once, for 10 minutes, and a newer code replaces it. A browser that the address has signed in from before has codes of its own, which work in that browser alone. Limit: 5 codes per hour for each such browser, and 5 for all others together. The response is the same whether the address is known or not.',
    tags: ['Dashboard sign-in'],
    body: CodeRequest.ref,
    response: { 202: CodeAsked.ref, ...openBodyErrors('cross_site_request') },
  };
  app.post('/v1/auth/code', { schema: code, config: { access: 'anybody' }, onRequest }, async (request, reply) => {
    await requestCode(deps, { email: normalEmail(request.body.email), signUp: null, ...browserOf(request) });
    return reply.code(202).send(codeAsked);
  });
  const signUp = {
    operationId: 'signUp',
    summary: 'Create an account',
    description:
      'Emails a 6-digit code. The account is created when the person signs in with it: they become its first admin, with a sandbox that can pay at once. A person who already has an account names the new one by its `slug` when signing in. The response is the same whether the address is known or not. Limit: 10 per hour for a mailbox, whatever follows a `+` in its address. When many accounts are created, a proof of work is required.',
    tags: ['Dashboard sign-in'],
    body: SignUpRequest.ref,
    response: { 202: CodeAsked.ref, ...openBodyErrors('cross_site_request', 'slug_taken', 'proof_of_work_required') },
  };
  app.post('/v1/signup', { schema: signUp, config: { access: 'anybody' }, onRequest }, async (request, reply) => {
    const { email, name, slug, full_name: fullName = null, proof_of_work: proof } = request.body;
    requirePlainNames({ name, full_name: fullName });
    if (isReservedSlug(slug)) throw new ApiError(slugReserved);
    await requireBudget(normalEmail(email), proof);
    await limitMailbox('sign-up', email);
    const business = { name, slug, fullName };
    const asked = await requestCode(deps, { email: normalEmail(email), signUp: business, ...browserOf(request) });
    if (asked.kind === 'slug_taken') throw new ApiError(slugTaken);
    return reply.code(202).send(codeAsked);
  });
}
