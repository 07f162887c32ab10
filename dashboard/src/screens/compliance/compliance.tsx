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
    <Page title="Compliance" lead="Before real money moves, the bank verifies the business that sends it.">
      {error !== null && data === undefined && (
        <Problem error={error} title="The verification could not be read." onRetry={() => void compliance.refetch()} />
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
  not_screened: 'Not screened yet',
  clear: 'Clear',
  review: 'Under review',
  blocked: 'Blocked',
};

function AccountFacts({ compliance: { account, screening } }: { compliance: Compliance }) {
  const { min, max_per_payout: max } = account.payout_limits_gbp;
  return (
    <Section title="What the account may do">
      <Facts>
        <Fact name="A payout">
          <span className="figures">
            {formatPounds(min)} to {formatPounds(max)}
          </span>
        </Fact>
        <Fact name="Countries">
          {account.enabled_countries.map((code) => (code === 'GB' ? 'United Kingdom' : code)).join(', ')}
        </Fact>
        <Fact name="Wallet">{account.isolated_wallet ? 'Your own, apart from all others' : 'Shared'}</Fact>
        {account.wallet_chain !== null && <Fact name="Chain">{formatChain(account.wallet_chain)}</Fact>}
        <Fact name="Screening">{screenings[screening] ?? screening}</Fact>
        <Fact name="Invoices go to">{account.billing_email ?? 'Nobody yet'}</Fact>
        <Fact name="We write to">{account.contact_email ?? 'Nobody yet'}</Fact>
      </Facts>
    </Section>
  );
}
