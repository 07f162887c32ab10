import { Type, type Static } from 'typebox';
import type { TestDeposit } from '../../banks/index.ts';
import type { Authentication } from '../../http/auth/authentication.ts';
import { sandboxOnly } from '../../http/auth/sandbox-only.ts';
import { bodyErrors } from '../../http/errors/responses.ts';
import { money, Query } from '../../http/schema/fields.ts';
import { invalidRequest } from '../../http/schema/field-problems.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { microUsdcPerCent, parsePounds } from '../../money/amounts.ts';
import { receiveTestDeposit, type TestDepositDeps } from '../receive-test-deposit.ts';
import { depositBody, DepositSchema } from './deposit-routes.ts';

const range = 'From 1.00 to 100000.00';
const least = 100n;
const most = 10_000_000n;

const DepositRequest = nameSchema(
  'SandboxDepositRequest',
  Type.Object(
    {
      amount_gbp: Type.Optional(money(`What arrives by bank transfer, in pounds. ${range}.`)),
      amount_usdc: Type.Optional({ ...money(`What arrives as USDC. ${range}.`), examples: ['500.00'] }),
    },
    { additionalProperties: false, description: 'The test money: either pounds or USDC.' },
  ),
);
type DepositRequest = Static<typeof DepositRequest.definition>;

const example: DepositRequest = { amount_gbp: '1000.00' };

function depositFrom({
  amount_gbp: pounds,
  amount_usdc: usdc,
}: DepositRequest): Pick<TestDeposit, 'method' | 'amount'> {
  if (pounds !== undefined && usdc !== undefined)
    throw invalidRequest([{ path: 'amount_usdc', rule: 'is not accepted together with amount_gbp' }]);
  if (pounds !== undefined) return { method: 'bank_transfer', amount: hundredthsFrom('amount_gbp', pounds) };
  if (usdc === undefined) throw invalidRequest([{ path: 'amount_gbp', rule: 'is required, or amount_usdc' }]);
  return { method: 'usdc', amount: hundredthsFrom('amount_usdc', usdc) * microUsdcPerCent };
}

function hundredthsFrom(path: string, text: string): bigint {
  const hundredths = parsePounds(text);
  if (hundredths !== undefined && hundredths >= least && hundredths <= most) return hundredths;
  throw invalidRequest([{ path, rule: 'must be from 1.00 to 100000.00' }]);
}

interface SandboxDepositDeps extends Authentication, TestDepositDeps {}

export function addSandboxDepositRoutes(app: Server, deps: SandboxDepositDeps): void {
  addSchema(app, DepositRequest, example);
  const schema = {
    operationId: 'createSandboxDeposit',
    summary: 'Add test money',
    description:
      'Adds test money to the sandbox wallet, as if you had sent a bank transfer or USDC. Returns the top-up once it is credited, net of the bank fee. Not idempotent: a retry adds money again.',
    tags: ['Sandbox'],
    querystring: Query,
    body: DepositRequest.ref,
    response: { 201: DepositSchema.ref, ...bodyErrors('sandbox_only', 'sandbox_control_unavailable') },
  };
  const config = { action: 'sandbox.deposit', access: 'payers' } as const;
  const onRequest = [deps.requireCaller, sandboxOnly(deps)];
  app.post('/v1/sandbox/deposits', { schema, config, onRequest }, async (request, reply) => {
    const caller = deps.callerOf(request);
    const received = await receiveTestDeposit(deps, caller, depositFrom(request.body));
    return reply.code(201).send(depositBody(caller, received));
  });
}
