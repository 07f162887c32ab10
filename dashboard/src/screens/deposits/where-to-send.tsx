import type { Funding } from '@kelpie/sdk';
import { useEnvironment } from '../../data/environment.ts';
import { useFunding } from '../../data/reads.ts';
import { useIsAdmin, useIsOpen } from '../../data/session.ts';
import { formatChain } from '../../format/deposit-labels.ts';
import { CopyButton } from '../../ui/copy.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Line } from '../../ui/skeleton.tsx';
import { SupportLink } from '../../ui/support-link.tsx';
import { AddTestMoney } from './add-test-money.tsx';

/** A suspended or closed account shows no details, because money sent to it could not be used. */
export function WhereToSend() {
  if (useIsOpen()) return <Ways />;
  return (
    <p className="font-medium">
      Do not send money to this account. <SupportLink />.
    </p>
  );
}

/** Each detail can be copied. */
function Ways() {
  const environment = useEnvironment();
  const isAdmin = useIsAdmin();
  const funding = useFunding();
  const { data } = funding;
  if (data === undefined) {
    return funding.isError ? (
      <Problem
        error={funding.error}
        title="Top-up details could not be loaded."
        onRetry={() => void funding.refetch()}
      />
    ) : (
      <DetailsSkeleton />
    );
  }
  return (
    <div className="grid gap-5">
      {environment === 'sandbox' && (
        <div className="grid justify-items-start gap-3">
          <p className="text-muted">Sandbox details are for tests only. Real money sent here can be lost.</p>
          {isAdmin && <AddTestMoney />}
        </div>
      )}
      <BankTransfer funding={data} />
      <Usdc usdc={data.usdc} />
    </div>
  );
}

function sortCodeOf(sortCode: string): string {
  return sortCode.replace(/^(\d{2})(\d{2})(\d{2})$/, '$1-$2-$3');
}

function BankTransfer({ funding: { bank_transfer: account, reference } }: { funding: Funding }) {
  if (account === null) {
    return <Way title="Bank transfer">The bank is opening your account. This takes a few seconds.</Way>;
  }
  return (
    <div className="grid gap-1">
      <h3 className="font-medium">Bank transfer</h3>
      <dl className="divide-y divide-line">
        <Detail name="Account name" value={account.account_holder_name} />
        <Detail name="Sort code" value={sortCodeOf(account.sort_code)} isFigures />
        <Detail name="Account number" value={account.account_number} isFigures />
        <Detail name="Reference" value={reference} isFigures />
        {account.bank_name !== null && <Detail name="Bank" value={account.bank_name} />}
      </dl>
      <p className="text-small text-muted">
        The bank converts pounds to USDC when they arrive, at its rate and less its fee.
      </p>
    </div>
  );
}

function Usdc({ usdc }: { usdc: Funding['usdc'] }) {
  if (usdc === null) return <Way title="USDC">The bank is opening your wallet address. This takes a few seconds.</Way>;
  const chain = formatChain(usdc.chain);
  return (
    <div className="grid gap-1">
      <h3 className="font-medium">USDC on {chain}</h3>
      <p className="flex items-start justify-between gap-3 py-1.5">
        <code className="min-w-0 font-mono text-small [text-wrap:balance] break-all">{usdc.address}</code>
        <CopyButton text={usdc.address} what="wallet address" />
      </p>
      <p className="text-small text-muted">Send only USDC on {chain}. Anything else can be lost.</p>
    </div>
  );
}

function Way({ title, children }: { title: string; children: string }) {
  return (
    <div className="grid gap-1">
      <h3 className="font-medium">{title}</h3>
      <p className="text-muted">{children}</p>
    </div>
  );
}

function Detail({ name, value, isFigures = false }: { name: string; value: string; isFigures?: boolean }) {
  return (
    <div className="flex min-h-9 items-center justify-between gap-3 py-1">
      <dt className="shrink-0 text-muted">{name}</dt>
      <dd className="flex min-w-0 items-center gap-1.5 text-right">
        <span className={isFigures ? 'figures' : 'break-words'}>{value}</span>
        <CopyButton text={value} what={name.toLowerCase()} />
      </dd>
    </div>
  );
}

const widths = ['w-32', 'w-20', 'w-24', 'w-36', 'w-28'];

/** As tall as what comes, so that nothing moves then. */
function DetailsSkeleton() {
  return (
    <div role="status" aria-label="Loading" className="divide-y divide-line">
      {widths.map((width) => (
        <div key={width} className="flex min-h-9 items-center justify-between gap-3">
          <Line width="w-20" />
          <Line width={width} />
        </div>
      ))}
    </div>
  );
}
