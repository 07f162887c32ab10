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
  not_screened: 'Not started: the bank screens your business when it verifies it',
  clear: 'Clear',
  review: 'Under review by the bank',
  blocked: 'Blocked',
};

function AccountFacts({ compliance: { account, screening } }: { compliance: Compliance }) {
  const { min, max_per_payout: max } = account.payout_limits_gbp;
  return (
    <Section title="Account limits">
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
        <Fact name="Business screening">{screenings[screening] ?? screening}</Fact>
        <Fact name="Billing email">{account.billing_email ?? 'Not set'}</Fact>
        <Fact name="Contact email">{account.contact_email ?? 'Not set'}</Fact>
      </Facts>
    </Section>
  );
}
