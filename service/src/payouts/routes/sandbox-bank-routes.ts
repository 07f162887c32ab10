import { setTimeout as wait } from 'node:timers/promises';
import { Type, type Static } from 'typebox';
import { answersKeptMs, bankAnswers, controlUnavailable, setBankAnswers } from '../../banks/index.ts';
import type { Authentication } from '../../http/auth/authentication.ts';
import { sandboxOnly } from '../../http/auth/sandbox-only.ts';
import { bodyErrors } from '../../http/errors/responses.ts';
import { oneOf, Query } from '../../http/schema/fields.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import type { PartnerEnvironments } from '../../partners/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';

const Answers = oneOf([...bankAnswers, 'normal'], {
  description:
    'What the bank answers to your payment orders. `lost`: it pays, and its answer is lost, so the payout is `pending` until we find it. `slow`: it answers after 4 seconds. `refused` and `unavailable`: nothing is sent, and the request gets 502 `payout_not_created`. `normal`: it answers as usual.',
});
const times = { minimum: 1, maximum: 100 };

const SetBankRequest = nameSchema(
  'SandboxBankRequest',
  Type.Object(
    {
      answers: Answers,
      times: Type.Optional(
        Type.Integer({
          ...times,
          default: 1,
          description: 'How many payment orders are answered so, our retries included. After them, `normal`.',
        }),
      ),
    },
    { additionalProperties: false, description: 'What the bank answers next.' },
  ),
);

const SandboxBank = nameSchema(
  'SandboxBank',
  Type.Object(
    {
      object: Type.Literal('sandbox_bank', { description: 'Always `sandbox_bank`.' }),
      answers: Answers,
      times: Type.Integer({ minimum: 0, maximum: 100, description: 'How many payment orders. 0 for `normal`.' }),
    },
    { description: 'What the bank answers to your next payment orders.' },
  ),
);

const exampleRequest: Static<typeof SetBankRequest.definition> = { answers: 'lost', times: 1 };
const example: Static<typeof SandboxBank.definition> = { object: 'sandbox_bank', answers: 'lost', times: 1 };

interface SandboxBankDeps extends Authentication {
  calls: SingleCalls;
  clock: Clock;
  partnerEnvironments: PartnerEnvironments;
}

export function addSandboxBankRoutes(app: Server, deps: SandboxBankDeps): void {
  addSchema(app, SetBankRequest, exampleRequest);
  addSchema(app, SandboxBank, example);
  const schema = {
    operationId: 'setSandboxBank',
    summary: "Set the bank's next answers",
    description:
      'Chooses what the bank answers to your next payment orders in sandbox. Only your account is affected. A later call replaces an earlier one. Takes half a second, and then holds for every request. Safe to retry.',
    tags: ['Sandbox'],
    querystring: Query,
    body: SetBankRequest.ref,
    response: { 200: SandboxBank.ref, ...bodyErrors('sandbox_only', 'sandbox_control_unavailable') },
  };
  const config = { action: 'sandbox.bank', access: 'payers' } as const;
  const onRequest = [deps.requireCaller, sandboxOnly(deps)];
  app.post('/v1/sandbox/bank', { schema, config, onRequest }, async (request) => {
    const caller = deps.callerOf(request);
    const { rail } = await deps.partnerEnvironments.get(caller);
    // The simulated rail is no bank: it answers in the commit that creates a payout.
    if (rail === 'simulated') throw controlUnavailable('no_bank');
    const { answers, times: wanted = 1 } = request.body;
    const asked = answers === 'normal' ? { answer: null, times: 0 } : { answer: answers, times: wanted };
    await setBankAnswers(deps.calls, { partnerId: caller.partnerId, at: deps.clock.now(), ...asked });
    // Until then a process may still remember that nothing was asked for.
    await wait(answersKeptMs);
    return { object: 'sandbox_bank' as const, answers, times: asked.times };
  });
}
