import { Type } from 'typebox';
import { EmailAddress } from '../../http/schema/fields.ts';
import { patterns } from '../../http/schema/patterns.ts';
import type { LimitHook } from '../../http/limits/rate-limit.ts';
import { openBodyErrors } from '../../http/errors/responses.ts';
import { nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { ApiError } from '../../platform/api-error.ts';
import { requestCode, type RequestCodeDeps } from '../signing-in/request-code.ts';
import { codeMs, normalEmail } from '../signing-in/codes.ts';
import { slugTaken } from './slug-taken.ts';

const CodeRequest = nameSchema(
  'SignInCodeRequest',
  Type.Object({ email: EmailAddress }, { additionalProperties: false }),
);

const SignUpRequest = nameSchema(
  'SignUpRequest',
  Type.Object(
    {
      email: EmailAddress,
      name: Type.String({
        minLength: 1,
        maxLength: 120,
        pattern: patterns.visibleText,
        description: 'Of the business.',
      }),
      slug: Type.String({ pattern: patterns.slug, description: 'Its short name, as in addresses.' }),
      full_name: Type.Optional(
        Type.String({ minLength: 1, maxLength: 120, pattern: patterns.visibleText, description: 'Of the person.' }),
      ),
    },
    { additionalProperties: false },
  ),
);

const CodeAsked = nameSchema(
  'SignInCode',
  Type.Object(
    { object: Type.Literal('sign_in_code'), valid_for_seconds: Type.Integer() },
    {
      description:
        'A code is on its way, where there is reason to send one. The answer is the same where there is none.',
    },
  ),
);

/** The same for everybody, whatever came of it. */
const codeAsked = { object: 'sign_in_code' as const, valid_for_seconds: codeMs / 1_000 };

interface CodeDeps extends RequestCodeDeps {
  limitOpen: LimitHook;
  refuseForeign: LimitHook;
}

/** How a code comes to whoever has the address: to sign in, or to sign up. */
export function addCodeRoutes(app: Server, { limitOpen, refuseForeign, ...deps }: CodeDeps): void {
  for (const { definition } of [CodeRequest, SignUpRequest, CodeAsked]) app.addSchema(definition);
  const onRequest = [limitOpen, refuseForeign];
  const code = {
    operationId: 'requestCode',
    summary: 'Have a code mailed, to sign in with',
    description:
      'Six digits, for 10 minutes and one use; only the newest is good. At most 5 an hour are sent to an address, and none to one that is no member of any account. The answer is the same in every case.',
    tags: ['Signing in'],
    body: CodeRequest.ref,
    response: { 202: CodeAsked.ref, ...openBodyErrors('cross_site_request') },
  };
  app.post('/v1/auth/code', { schema: code, config: { access: 'anybody' }, onRequest }, async (request, reply) => {
    await requestCode(deps, { email: normalEmail(request.body.email), signUp: null });
    return reply.code(202).send(codeAsked);
  });
  const signUp = {
    operationId: 'signUp',
    summary: 'Open an account',
    description:
      'A code is mailed to the address. Whoever signs in with it has the account, as its first admin, with a sandbox that can pay at once: before that there is none. Who has an account already names the new one by its `slug` when signing in. The answer is the same whether the address is known or not.',
    tags: ['Signing in'],
    body: SignUpRequest.ref,
    response: { 202: CodeAsked.ref, ...openBodyErrors('cross_site_request', 'slug_taken') },
  };
  app.post('/v1/signup', { schema: signUp, config: { access: 'anybody' }, onRequest }, async (request, reply) => {
    const { email, name, slug, full_name: fullName = null } = request.body;
    const asked = await requestCode(deps, { email: normalEmail(email), signUp: { name, slug, fullName } });
    if (asked.kind === 'slug_taken') throw new ApiError(slugTaken);
    return reply.code(202).send(codeAsked);
  });
}
