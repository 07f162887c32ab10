import type { Markups } from '../money/fees.ts';
import type { Call, SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext, Transaction } from '../platform/database/transaction.ts';
import type { Account, PublicPartner } from './account.ts';
import type { PartnerEnvironment } from './environment.ts';

interface EnvironmentRow {
  status: PartnerEnvironment['status'];
  rail: PartnerEnvironment['rail'];
  bank_customer_id: string | null;
  bank_wallet_id: string | null;
  price_plan: string;
  fixed_pence: string;
  basis_points: string;
  bank_fixed_pence: string;
  bank_basis_points: string;
}

const findEnvironmentCall: Call = {
  name: 'find_priced_environment',
  text: 'select * from kelpie.find_priced_environment($1, $2)',
};

export async function getPartnerEnvironment(calls: SingleCalls, of: PartnerContext): Promise<PartnerEnvironment> {
  const [row] = await calls.call<EnvironmentRow>(findEnvironmentCall, [of.partnerId, of.environment]);
  if (row === undefined) throw new Error('a partner without this environment');
  return {
    partnerId: of.partnerId,
    environment: of.environment,
    status: row.status,
    rail: row.rail,
    bankCustomerId: row.bank_customer_id ?? '',
    bankWalletId: row.bank_wallet_id ?? '',
    pricePlan: row.price_plan,
    prices: {
      total: { fixedPence: BigInt(row.fixed_pence), basisPoints: BigInt(row.basis_points) },
      providerFee: { fixedPence: BigInt(row.bank_fixed_pence), basisPoints: BigInt(row.bank_basis_points) },
    },
  };
}

const findMarkupsCall: Call = {
  name: 'find_markups',
  text: 'select network_markup_basis_points as network, exception_markup_basis_points as exception from kelpie.price_plans where id = $1',
};

export async function getMarkups(calls: SingleCalls, plan: string): Promise<Markups> {
  const [row] = await calls.call<{ network: string; exception: string }>(findMarkupsCall, [plan]);
  if (row === undefined) throw new Error('a price plan that is not there');
  return { networkBasisPoints: BigInt(row.network), exceptionBasisPoints: BigInt(row.exception) };
}

interface AccountRow {
  name: string;
  status: PartnerEnvironment['status'];
  rail: PartnerEnvironment['rail'];
  fixed_pence: string;
  basis_points: string;
  monthly_pence: string;
  verification_pence: string;
  network_markup_basis_points: string;
  exception_markup_basis_points: string;
  billing_email: string | null;
  contact_email: string | null;
  contact_confirmed: boolean;
  billing_confirmed: boolean;
  logo_url: string | null;
  brand_color: string | null;
  wallet_low_micro_usdc: string | null;
  funding_address: string | null;
  verification_status: string;
  verification_provider_status: string | null;
  verification_continue_url: string | null;
  verification_terms_url: string | null;
  screening: string;
  closed_at: Date | null;
  is_frozen: boolean;
}

const showAccountCall: Call = {
  name: 'show_account',
  text: `select account.*, plan.verification_pence, plan.network_markup_basis_points, plan.exception_markup_basis_points,
      (select p.closed_at from kelpie.partners p where p.id = $1) as closed_at,
      (select p.contact_email_confirmed_at is not null from kelpie.partners p where p.id = $1) as contact_confirmed,
      (select p.billing_email_confirmed_at is not null from kelpie.partners p where p.id = $1) as billing_confirmed,
      exists (
        select from kelpie.payment_blocks b
        where b.partner_id = $1 and b.cause = 'frozen' and coalesce(b.environment, $2) = $2
      ) as is_frozen
    from kelpie.show_account($1, $2) account
    cross join kelpie.find_priced_environment($1, $2) found
    join kelpie.price_plans plan on plan.id = found.price_plan`,
};

export async function getAccount(calls: SingleCalls, of: PartnerContext): Promise<Account> {
  const [row] = await calls.call<AccountRow>(showAccountCall, [of.partnerId, of.environment]);
  if (row === undefined) throw new Error('a partner without this environment');
  return {
    partnerId: of.partnerId,
    environment: of.environment,
    name: row.name,
    status: row.status,
    closedAt: row.closed_at,
    rail: row.rail,
    payoutPrice: { fixedPence: BigInt(row.fixed_pence), basisPoints: BigInt(row.basis_points) },
    monthlyPrice: BigInt(row.monthly_pence),
    verificationPrice: BigInt(row.verification_pence),
    markups: {
      networkBasisPoints: BigInt(row.network_markup_basis_points),
      exceptionBasisPoints: BigInt(row.exception_markup_basis_points),
    },
    billingEmail: row.billing_email,
    contactEmail: row.contact_email,
    isBillingConfirmed: row.billing_confirmed,
    isContactConfirmed: row.contact_confirmed,
    logoUrl: row.logo_url,
    brandColor: row.brand_color,
    walletLow: row.wallet_low_micro_usdc === null ? null : BigInt(row.wallet_low_micro_usdc),
    fundingAddress: row.funding_address,
    verification: {
      status: row.verification_status,
      providerStatus: row.verification_provider_status,
      continueUrl: row.verification_continue_url,
      termsUrl: row.verification_terms_url,
    },
    screening: row.screening,
    isFrozen: row.is_frozen,
  };
}

interface PublicPartnerRow {
  slug: string;
  name: string;
  logo_url: string | null;
  brand_color: string | null;
}

const findPublicPartnerCall: Call = {
  name: 'find_public_partner',
  text: 'select * from kelpie.find_public_partner($1)',
};

export async function findPublicPartner(calls: SingleCalls, slug: string): Promise<PublicPartner | null> {
  const [row] = await calls.call<PublicPartnerRow>(findPublicPartnerCall, [slug]);
  if (row === undefined) return null;
  return { slug: row.slug, name: row.name, logoUrl: row.logo_url, brandColor: row.brand_color };
}

/** What an admin sets. What is left out stays as it is; null takes it away. */
export interface AccountSettings {
  logo_url?: string | null;
  brand_color?: string | null;
  billing_email?: string | null;
  contact_email?: string | null;
  /** A whole number, as a text: JSON has none that are large enough. */
  wallet_low_micro_usdc?: string | null;
}

interface PartnerAddresses {
  name: string;
  contact_email: string | null;
  billing_email: string | null;
  /** Only those that somebody reads for certain. */
  confirmed: readonly string[];
}

/** Locks the partner, so that what an email says of a change is what was there before it. */
export async function lockAddresses(tx: Transaction, partnerId: string): Promise<PartnerAddresses> {
  const { rows } = await tx.query<PartnerAddresses>(
    `select name, contact_email, billing_email,
       array_remove(array[
         case when contact_email_confirmed_at is not null then contact_email end,
         case when billing_email_confirmed_at is not null then billing_email end
       ], null) as confirmed
     from kelpie.partners where id = $1 for no key update`,
    [partnerId],
  );
  if (rows[0] === undefined) throw new Error('a transaction of no partner');
  return rows[0];
}

export async function setAccount(tx: Transaction, partnerId: string, settings: AccountSettings): Promise<void> {
  const { rows } = await tx.query(
    `update kelpie.partners p
     set logo_url = case when s ? 'logo_url' then s->>'logo_url' else p.logo_url end,
       brand_color = case when s ? 'brand_color' then s->>'brand_color' else p.brand_color end,
       billing_email = case when s ? 'billing_email' then s->>'billing_email' else p.billing_email end,
       contact_email = case when s ? 'contact_email' then s->>'contact_email' else p.contact_email end,
       wallet_low_micro_usdc = case
         when s ? 'wallet_low_micro_usdc' then (s->>'wallet_low_micro_usdc')::bigint else p.wallet_low_micro_usdc
       end
     from (select $2::jsonb as s) as given where p.id = $1 returning 1`,
    [partnerId, JSON.stringify(settings)],
  );
  if (rows.length !== 1) throw new Error('a transaction of no partner');
}

/** For whichever of the two it is. Says false where it was confirmed before. */
export async function confirmAddresses(
  tx: Transaction,
  { partnerId, email, at }: { partnerId: string; email: string; at: Date },
): Promise<boolean> {
  const { rows } = await tx.query(
    `update kelpie.partners p
     set contact_email_confirmed_at =
         case when p.contact_email = $2 then coalesce(p.contact_email_confirmed_at, $3) else p.contact_email_confirmed_at end,
       billing_email_confirmed_at =
         case when p.billing_email = $2 then coalesce(p.billing_email_confirmed_at, $3) else p.billing_email_confirmed_at end
     where p.id = $1
       and ((p.contact_email = $2 and p.contact_email_confirmed_at is null)
         or (p.billing_email = $2 and p.billing_email_confirmed_at is null))
     returning 1`,
    [partnerId, email, at],
  );
  return rows.length === 1;
}

interface NewPartner {
  id: string;
  slug: string;
  name: string;
  createdAt: Date;
}

export async function insertPartner(tx: Transaction, { id, slug, name, createdAt }: NewPartner): Promise<void> {
  await tx.query(
    `insert into kelpie.partners (id, slug, name, status, created_at) values ($1, $2, $3, 'onboarding', $4)`,
    [id, slug, name, createdAt],
  );
}

/** On the simulated rail, where it waits to be connected to a bank. */
export async function insertEnvironment(tx: Transaction, of: PartnerContext, createdAt: Date): Promise<void> {
  await tx.query(
    `insert into kelpie.partner_environments (partner_id, environment, created_at, wants_bank) values ($1, $2, $3, true)`,
    [of.partnerId, of.environment, createdAt],
  );
}

/** Partners whose sandbox waits to be connected, in the order of their ids. */
export async function listWaiting(tx: Transaction, afterPartner: string, atMost: number): Promise<string[]> {
  const { rows } = await tx.query<{ partner_id: string }>(
    'select partner_id from kelpie.list_sandboxes_to_connect($1, $2)',
    [afterPartner, atMost],
  );
  return rows.map((row) => row.partner_id);
}

/** Who is to be connected; null where nobody waits any more. */
export async function findWaiting(
  tx: Transaction,
  { partnerId, environment }: PartnerContext,
): Promise<{ slug: string; name: string } | null> {
  const { rows } = await tx.query<{ slug: string; name: string }>(
    `select p.slug, p.name from kelpie.partners p join kelpie.partner_environments e on e.partner_id = p.id
     where p.id = $1 and e.environment = $2 and e.wants_bank`,
    [partnerId, environment],
  );
  return rows[0] ?? null;
}

interface AtBank {
  customerId: string;
  walletId: string;
}

/** Says false, and changes nothing, where it does not wait any more. */
export async function connectEnvironment(tx: Transaction, of: PartnerContext, atBank: AtBank): Promise<boolean> {
  const { rows } = await tx.query(
    `update kelpie.partner_environments
     set rail = 'provider_sandbox', bank_customer_id = $3, bank_wallet_id = $4, wants_bank = false
     where partner_id = $1 and environment = $2 and wants_bank
     returning partner_id`,
    [of.partnerId, of.environment, atBank.customerId, atBank.walletId],
  );
  return rows.length === 1;
}
