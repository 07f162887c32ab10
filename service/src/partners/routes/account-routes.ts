import { Type, type Static } from 'typebox';
import type { ActivityLog } from '../../http/activity-log.ts';
import type { Authentication } from '../../http/auth/authentication.ts';
import { originOf } from '../../http/auth/origin.ts';
import {
  Environment,
  money,
  nullableInstant,
  nullableText,
  nullableUri,
  oneOf,
  Query,
  uuid,
} from '../../http/schema/fields.ts';
import { ConfirmCode } from '../../http/schema/confirm-code.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { bodyErrors, keyedErrors } from '../../http/errors/responses.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { walletChain } from '../../banks/index.ts';
import { formatPounds, formatUsdc, parseUsdc } from '../../money/amounts.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { enabledCountries, type Account } from '../account.ts';
import { payoutLimits } from '../limits.ts';
import { getAccount, type AccountSettings } from '../store.ts';
import { exampleAccount } from './example-account.ts';
import { updateAccount, type UpdateAccountDeps } from '../update-account.ts';

const enabledCountriesText = 'Countries that the account can pay to.';
const logoText = 'The URL of your logo, shown to the people you pay.';
const colorText = 'Your brand colour, as hex.';
const billingText = 'The email address for invoices.';
const contactText = 'The email address for questions about the account.';
const confirmedText = 'was confirmed with the link that we emailed to it. Until then, we send nothing else to it.';
const lowText = 'We email you when the balance falls below this, in USDC. Null if the alert is off.';

const PayoutLimits = Type.Object(
  {
    min: money("The smallest payout, in pounds. In live it is the bank's minimum of 3.00."),
    max_per_payout: money('The largest payout, in pounds.'),
  },
  { description: 'The range of `amount_gbp`.' },
);

const AccountSchema = nameSchema(
  'Account',
  Type.Object(
    {
      object: Type.Literal('account', { description: 'Always `account`.' }),
      id: uuid('The id of the account.'),
      name: Type.String({ description: 'The name of the business.' }),
      status: Type.String({ description: '`onboarding` (sandbox only), `active`, `suspended` or `closed`.' }),
      closed_at: nullableInstant({ description: 'When the account was closed, for good. Null while it is open.' }),
      environment: Environment,
      is_frozen: Type.Boolean({
        description: 'Whether an admin or support has stopped payouts. New payouts return `partner_not_active`.',
      }),
      funding_wallet: Type.Object(
        {
          currency: Type.Literal('USDC', { description: 'Always `USDC`.' }),
          chain: Type.String({ description: 'The blockchain of the wallet.' }),
          address: nullableText({ description: 'Where to send USDC. Null until the bank has opened the address.' }),
        },
        { description: 'The wallet that payouts are paid from.' },
      ),
      enabled_countries: Type.Array(Type.String({ minLength: 2, maxLength: 2 }), { description: enabledCountriesText }),
      payout_limits_gbp: PayoutLimits,
      prices: Type.Object(
        {
          payout: Type.Optional(Type.String({ description: 'Per completed payout.' })),
          monthly_account: Type.Optional(Type.String({ description: 'Per month.' })),
          business_verification: Type.String({ description: 'Once, for verifying your business.' }),
          network_fees: Type.String({ description: 'Blockchain fees, per payout.' }),
          bank_exceptions: Type.String({ description: 'Returns, recalls and traces, when they happen.' }),
        },
        { description: 'What you pay.' },
      ),
      rail: Type.Optional(
        oneOf(['provider_production', 'provider_sandbox', 'simulated'], {
          description: 'Which payout rail the key uses. `simulated` only until the sandbox bank is connected.',
        }),
      ),
      logo_url: nullableUri({ description: logoText }),
      brand_color: nullableText({ description: colorText }),
      wallet_low_usdc: nullableText({
        pattern: patterns.money,
        description: lowText,
      }),
    },
    { description: 'Your account, in the environment of the key.' },
  ),
);

const nullableEmail = (description: string) =>
  Type.Optional(nullableText({ format: 'email', pattern: patterns.emailLength, description }));

const UpdateAccountRequest = nameSchema(
  'UpdateAccountRequest',
  Type.Object(
    {
      logo_url: Type.Optional(nullableUri({ pattern: patterns.secureUrl, maxLength: 500, description: logoText })),
      brand_color: Type.Optional(nullableText({ pattern: patterns.color, description: colorText })),
      billing_email: nullableEmail(billingText),
      contact_email: nullableEmail(contactText),
      wallet_low_usdc: Type.Optional(
        nullableText({
          pattern: patterns.money,
          maxLength: 15,
          description: lowText,
        }),
      ),
      confirm_code: ConfirmCode,
    },
    {
      additionalProperties: false,
      description: 'The settings to change. Omitted ones stay as they are; null removes one.',
    },
  ),
);

export const Compliance = nameSchema(
  'Compliance',
  Type.Object(
    {
      object: Type.Literal('compliance', { description: 'Always `compliance`.' }),
      business_verification: Type.Object(
        {
          status: Type.String({
            description: '`not_started`, `action_required`, `in_review`, `approved` or `rejected`.',
          }),
          provider_status: nullableText({ description: 'The status as the bank names it.' }),
          continue_url: nullableUri({ description: 'Where a person continues the verification.' }),
          terms_url: nullableUri({ description: 'Where a person accepts the terms of the bank.' }),
        },
        { description: 'The verification that live payouts need.' },
      ),
      account: Type.Object(
        {
          isolated_wallet: Type.Boolean({ description: 'Whether the wallet belongs to this account alone.' }),
          wallet_chain: nullableText({ description: 'The blockchain of the wallet. Null on the simulated rail.' }),
          enabled_countries: Type.Array(Type.String(), { description: enabledCountriesText }),
          payout_limits_gbp: PayoutLimits,
          billing_email: nullableText({ format: 'email', description: billingText }),
          contact_email: nullableText({ format: 'email', description: contactText }),
          billing_email_confirmed: Type.Optional(
            Type.Boolean({ description: `Whether \`billing_email\` ${confirmedText}` }),
          ),
          contact_email_confirmed: Type.Optional(
            Type.Boolean({ description: `Whether \`contact_email\` ${confirmedText}` }),
          ),
        },
        { description: 'What the account can do.' },
      ),
      screening: Type.String({
        description: 'The sanctions screening of the business: `not_screened`, `clear`, `review` or `blocked`.',
      }),
    },
    { description: 'The verification of your business, and the limits of your account.' },
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
    closed_at: account.closedAt?.toISOString() ?? null,
    environment: account.environment,
    is_frozen: account.isFrozen,
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
  confirm_code: _code,
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
      billing_email_confirmed: account.isBillingConfirmed,
      contact_email_confirmed: account.isContactConfirmed,
    },
    screening: account.screening,
  };
}

interface AccountDeps extends Authentication, UpdateAccountDeps {
  /** Refuses one more email to a mailbox that had its share. */
  limitMailbox: (kind: 'address', email: string) => Promise<void>;
  calls: SingleCalls;
  activity: ActivityLog;
}

export function addAccountRoutes(app: Server, deps: AccountDeps): void {
  addSchema(app, AccountSchema, accountBody(exampleAccount));
  addSchema(app, UpdateAccountRequest, {
    logo_url: exampleAccount.logoUrl,
    brand_color: exampleAccount.brandColor,
    billing_email: exampleAccount.billingEmail,
    contact_email: exampleAccount.contactEmail,
    wallet_low_usdc: '500.00',
  });
  addSchema(app, Compliance, complianceBody(exampleAccount));
  addReadRoutes(app, deps);
  addUpdateRoute(app, deps);
}

function addUpdateRoute(app: Server, deps: AccountDeps): void {
  const schema = {
    operationId: 'updateAccount',
    summary: 'Update account settings',
    description:
      'Changes the settings that you send, for both environments, and returns the account in the one that you name. A new contact or billing email is confirmed with an emailed code, and with a link that we email to the new address: nothing else is sent to it before. We email every admin and the old address. Safe to retry.',
    tags: ['Dashboard settings'],
    querystring: Query,
    body: UpdateAccountRequest.ref,
    response: {
      200: AccountSchema.ref,
      ...bodyErrors('verification_required', 'confirmation_required', 'invalid_confirm_code', 'invalid_request'),
    },
  };
  const config = { action: 'account.update', access: 'admins' } as const;
  app.patch('/v1/account', { schema, config, onRequest: deps.requireCaller }, async (request) => {
    const caller = deps.callerOf(request);
    const { partnerId, environment, by, callerId: sessionId } = caller;
    const settings = settingsFrom(request.body);
    const admin = { partnerId, environment, by, sessionId, requestId: request.id, origin: originOf(request) };
    // Without the code nothing is sent to a new address.
    if (request.body.confirm_code !== undefined) await limitMails(deps, settings);
    await updateAccount(deps, admin, { settings, code: request.body.confirm_code });
    deps.activity.isRecorded(request);
    return accountBody(await getAccount(deps.calls, caller));
  });
}

async function limitMails({ limitMailbox }: AccountDeps, settings: AccountSettings): Promise<void> {
  for (const email of new Set([settings.contact_email, settings.billing_email]))
    if (typeof email === 'string') await limitMailbox('address', email);
}

function addReadRoutes(app: Server, { calls, requireCaller, callerOf }: AccountDeps): void {
  const account = {
    operationId: 'getAccount',
    summary: 'Retrieve the account',
    description: 'Returns your account: its status, wallet, prices and settings.',
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
    summary: 'Retrieve compliance',
    description: 'Returns the status of your business verification, and the limits of your account.',
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
