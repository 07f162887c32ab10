import { Type, type Static } from 'typebox';
import type { ActivityLog } from '../../http/activity-log.ts';
import type { Authentication } from '../../http/auth/authentication.ts';
import { Environment, Id, MoneyString, nullableText, nullableUri, oneOf, Query } from '../../http/schema/fields.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { bodyErrors, keyedErrors } from '../../http/errors/responses.ts';
import { nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { walletChain } from '../../banks/index.ts';
import { formatPounds, formatUsdc, parseUsdc } from '../../money/amounts.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { enabledCountries, type Account } from '../account.ts';
import { payoutLimits } from '../limits.ts';
import { getAccount, type AccountSettings } from '../store.ts';
import { updateAccount, type UpdateAccountDeps } from '../update-account.ts';

const PayoutLimits = Type.Object(
  { min: MoneyString, max_per_payout: MoneyString },
  { description: 'The smallest and the largest amount of one payout, in pounds.' },
);

const AccountSchema = nameSchema(
  'Account',
  Type.Object(
    {
      object: Type.Literal('account'),
      id: Id,
      name: Type.String(),
      status: Type.String({
        description: 'onboarding (sandbox only), active, suspended or closed.',
        examples: ['active'],
      }),
      environment: Environment,
      funding_wallet: Type.Object({
        currency: Type.Literal('USDC'),
        chain: Type.String(),
        address: nullableText({ description: 'Where to send USDC; null where the wallet can not be topped up so.' }),
      }),
      enabled_countries: Type.Array(Type.String({ minLength: 2, maxLength: 2 })),
      payout_limits_gbp: PayoutLimits,
      prices: Type.Object({
        payout: Type.Optional(Type.String({ examples: ['0.99 GBP + 1.00%'] })),
        monthly_account: Type.Optional(Type.String({ examples: ['15.00 GBP'] })),
        business_verification: Type.String({ examples: ['39.00 GBP'], description: 'Once.' }),
        network_fees: Type.String({ examples: ['cost + 10.00%'] }),
        bank_exceptions: Type.String({ examples: ['cost + 20.00%'], description: 'Returns, recalls and traces.' }),
      }),
      rail: Type.Optional(
        oneOf(['provider_production', 'provider_sandbox', 'simulated'], {
          description: 'What carries the payouts of this key. `simulated` only until the sandbox bank is connected.',
        }),
      ),
      logo_url: nullableUri({ description: 'Shown where your recipients see who pays them.' }),
      brand_color: nullableText({ examples: ['#0f6e6e'] }),
      wallet_low_usdc: nullableText({
        pattern: patterns.money,
        examples: ['500.00'],
        description: 'Below this the contact, or the admins, are told by mail, once each time; null where nobody is.',
      }),
    },
    { description: 'The account that the key belongs to, in the environment of the key.' },
  ),
);

const nullableEmail = (description: string) =>
  Type.Optional(nullableText({ format: 'email', pattern: patterns.emailLength, description }));

const UpdateAccountRequest = nameSchema(
  'UpdateAccountRequest',
  Type.Object(
    {
      logo_url: Type.Optional(nullableUri({ pattern: patterns.secureUrl, maxLength: 500 })),
      brand_color: Type.Optional(nullableText({ pattern: patterns.color, examples: ['#0f6e6e'] })),
      billing_email: nullableEmail('Who gets the invoices.'),
      contact_email: nullableEmail('Whom we write to about the account.'),
      wallet_low_usdc: Type.Optional(
        nullableText({
          pattern: patterns.money,
          maxLength: 15,
          examples: ['500.00'],
          description: 'Tell us by mail when the wallet falls below this: the sandbox one and the live one alike.',
        }),
      ),
    },
    { additionalProperties: false, description: 'What is left out stays as it is; null takes it away.' },
  ),
);

export const Compliance = nameSchema(
  'Compliance',
  Type.Object(
    {
      object: Type.Literal('compliance'),
      business_verification: Type.Object({
        status: Type.String({ description: 'not_started, action_required, in_review, approved or rejected.' }),
        provider_status: nullableText({ description: "The bank's own word for it." }),
        continue_url: nullableUri({ description: 'Where a person goes on with the verification.' }),
        terms_url: nullableUri({ description: "Where a person accepts the bank's terms." }),
      }),
      account: Type.Object({
        isolated_wallet: Type.Boolean(),
        wallet_chain: nullableText(),
        enabled_countries: Type.Array(Type.String()),
        payout_limits_gbp: PayoutLimits,
        billing_email: nullableText({ format: 'email' }),
        contact_email: nullableText({ format: 'email' }),
      }),
      screening: Type.String({ description: 'not_screened, clear, review or blocked.' }),
    },
    { description: 'Where the verification of the business stands, and what the account may do.' },
  ),
);

function limitsBody({ rail }: Account): Static<typeof PayoutLimits> {
  const { smallest, largest } = payoutLimits(rail);
  return { min: formatPounds(smallest), max_per_payout: formatPounds(largest) };
}

function accountBody(account: Account): Static<typeof AccountSchema.definition> {
  const { fixedPence, basisPoints } = account.payoutPrice;
  return {
    object: 'account',
    id: account.partnerId,
    name: account.name,
    status: account.status,
    environment: account.environment,
    funding_wallet: { currency: 'USDC', chain: walletChain, address: account.fundingAddress },
    enabled_countries: enabledCountries,
    payout_limits_gbp: limitsBody(account),
    prices: {
      // A per cent has a hundred basis points, as a pound has a hundred pence.
      payout: `${formatPounds(fixedPence)} GBP + ${formatPounds(basisPoints)}%`,
      monthly_account: `${formatPounds(account.monthlyPrice)} GBP`,
      business_verification: `${formatPounds(account.verificationPrice)} GBP`,
      network_fees: `cost + ${formatPounds(account.markups.networkBasisPoints)}%`,
      bank_exceptions: `cost + ${formatPounds(account.markups.exceptionBasisPoints)}%`,
    },
    rail: account.rail,
    logo_url: account.logoUrl,
    brand_color: account.brandColor,
    wallet_low_usdc: account.walletLow === null ? null : formatUsdc(account.walletLow),
  };
}

/** From a body that its schema has let through. */
function settingsFrom({
  wallet_low_usdc: low,
  brand_color: color,
  ...others
}: Static<typeof UpdateAccountRequest.definition>): AccountSettings {
  const settings = color === undefined ? others : { ...others, brand_color: color?.toLowerCase() ?? null };
  if (low === undefined) return settings;
  return { ...settings, wallet_low_micro_usdc: low === null ? null : String(parseUsdc(low)) };
}

export function complianceBody(account: Account): Static<typeof Compliance.definition> {
  const { verification, rail } = account;
  return {
    object: 'compliance',
    business_verification: {
      status: verification.status,
      provider_status: verification.providerStatus,
      continue_url: verification.continueUrl,
      terms_url: verification.termsUrl,
    },
    account: {
      isolated_wallet: true,
      wallet_chain: rail === 'simulated' ? null : walletChain,
      enabled_countries: enabledCountries,
      payout_limits_gbp: limitsBody(account),
      billing_email: account.billingEmail,
      contact_email: account.contactEmail,
    },
    screening: account.screening,
  };
}

interface AccountDeps extends Authentication, UpdateAccountDeps {
  calls: SingleCalls;
  activity: ActivityLog;
}

export function addAccountRoutes(app: Server, deps: AccountDeps): void {
  for (const { definition } of [AccountSchema, UpdateAccountRequest, Compliance]) app.addSchema(definition);
  addReadRoutes(app, deps);
  addUpdateRoute(app, deps);
}

function addUpdateRoute(app: Server, deps: AccountDeps): void {
  const schema = {
    operationId: 'updateAccount',
    summary: 'Set how your page looks, who gets your papers, and when to be told of a low wallet',
    description: 'The same in both environments; the account is shown as it is in the one that is named.',
    tags: ['Account'],
    querystring: Query,
    body: UpdateAccountRequest.ref,
    response: {
      200: AccountSchema.ref,
      ...bodyErrors('verification_required', 'invalid_request'),
    },
  };
  const config = { action: 'account.update', access: 'admins' } as const;
  app.patch('/v1/account', { schema, config, onRequest: deps.requireCaller }, async (request) => {
    const caller = deps.callerOf(request);
    const { partnerId, environment, by, callerId: sessionId } = caller;
    const settings = settingsFrom(request.body);
    await updateAccount(deps, { partnerId, environment, by, sessionId, requestId: request.id }, settings);
    deps.activity.isRecorded(request);
    return accountBody(await getAccount(deps.calls, caller));
  });
}

function addReadRoutes(app: Server, { calls, requireCaller, callerOf }: AccountDeps): void {
  const account = {
    operationId: 'getAccount',
    summary: 'Your account',
    tags: ['Account'],
    querystring: Query,
    response: { 200: AccountSchema.ref, ...keyedErrors() },
  };
  app.get(
    '/v1/account',
    { schema: account, config: { action: 'account.get', access: 'readers' }, onRequest: requireCaller },
    async (request) => accountBody(await getAccount(calls, callerOf(request))),
  );
  const compliance = {
    operationId: 'getCompliance',
    summary: 'Where your verification stands, and your limits',
    tags: ['Account'],
    querystring: Query,
    response: { 200: Compliance.ref, ...keyedErrors() },
  };
  app.get(
    '/v1/compliance',
    { schema: compliance, config: { action: 'compliance.get', access: 'readers' }, onRequest: requireCaller },
    async (request) => complianceBody(await getAccount(calls, callerOf(request))),
  );
}
