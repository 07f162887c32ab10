import type { Compliance } from '@kelpie/sdk';
import { useCompliance } from '../../data/reads.ts';
import { formatChain } from '../../format/deposit-labels.ts';
import { formatPounds } from '../../format/money.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { VerificationSteps } from './verification-steps.tsx';

export function Screen() {
  const compliance = useCompliance();
  const { data, error } = compliance;
  return (
    <Page title="Compliance" lead="The bank verifies your business before you can pay with real money.">
      {error !== null && data === undefined && (
        <Problem
          error={error}
          title="The verification could not be loaded."
          onRetry={() => void compliance.refetch()}
        />
      )}
      {compliance.isPending && <Rows count={4} />}
      {data !== undefined && (
        <div className="grid gap-x-12 gap-y-8 lg:grid-cols-2">
          <VerificationSteps compliance={data} />
          <AccountFacts compliance={data} />
        </div>
      )}
    </Page>
  );
}

const screenings: Readonly<Record<string, string>> = {
  clear: 'Clear',
  review: 'Under review by the bank',
  blocked: 'Blocked',
};

/** The bank screens a business as part of its verification. */
const unscreened: Readonly<Record<string, string>> = {
  in_review: "Part of the bank's review",
  rejected: 'No result: the bank did not approve your business',
};

function formatScreening({ screening, business_verification: { status } }: Compliance): string {
  if (screening === 'not_screened') return unscreened[status] ?? 'Starts when you start verification';
  return screenings[screening] ?? screening;
}

function AccountFacts({ compliance }: { compliance: Compliance }) {
  const { account } = compliance;
  const { min, max_per_payout: max } = account.payout_limits_gbp;
  return (
    <Section title="Account">
      <Facts>
        <Fact name="Amount per payout">
          <span className="figures">
            {formatPounds(min)} to {formatPounds(max)}
          </span>
        </Fact>
        <Fact name="Countries">
          {account.enabled_countries.map((code) => (code === 'GB' ? 'United Kingdom' : code)).join(', ')}
        </Fact>
        <Fact name="Wallet">{account.isolated_wallet ? 'Dedicated to your account' : 'Shared'}</Fact>
        {account.wallet_chain !== null && <Fact name="Wallet chain">{formatChain(account.wallet_chain)}</Fact>}
        <Fact name="Business screening">{formatScreening(compliance)}</Fact>
        <Fact name="Billing email">{account.billing_email ?? 'Admin who joined first (default)'}</Fact>
        <Fact name="Contact email">{account.contact_email ?? 'All admins (default)'}</Fact>
      </Facts>
    </Section>
  );
}
