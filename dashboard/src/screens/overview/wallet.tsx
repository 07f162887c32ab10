import { KelpieError, type Balance, type UsageDayList } from '@kelpie/sdk';
import { Link } from 'react-router';
import { useAddress } from '../../data/environment.ts';
import { useBalance, useDays } from '../../data/reads.ts';
import { useIsOpen, useSession } from '../../data/session.ts';
import { formatPlain, formatPounds, formatRate } from '../../format/money.ts';
import { Problem } from '../../ui/problem.tsx';
import { Line } from '../../ui/skeleton.tsx';
import { daysLeft, wholeDays } from './days-left.ts';

/** The balance, and how long it lasts. */
export function Wallet() {
  const balance = useBalance();
  const days = useDays();
  const isOpen = useIsOpen();
  // The session may not know yet that the account was suspended.
  const isRefused = balance.error instanceof KelpieError && balance.error.code === 'partner_not_active';
  if (balance.data === undefined && (!isOpen || isRefused)) return <BalanceUnavailable />;
  if (balance.isError && balance.data === undefined) {
    return (
      <Problem error={balance.error} title="The balance could not be loaded." onRetry={() => void balance.refetch()} />
    );
  }
  return <Held balance={balance.data} days={days.data} />;
}

function Held({ balance: data, days }: { balance: Balance | undefined; days: UsageDayList | undefined }) {
  const left = data === undefined || days === undefined ? undefined : daysLeft(data.approx_gbp, wholeDays(days));
  return (
    <section aria-label="Wallet" className="grid gap-1">
      <h2 className="flex min-h-7 items-center text-muted">Wallet balance</h2>
      <p className="figures text-balance font-semibold tracking-[-0.02em]">
        {data === undefined ? <Line width="w-64" height="h-9" /> : formatPlain(data.usdc)}
        {data !== undefined && <span className="text-title font-medium tracking-normal text-muted"> USDC</span>}
      </p>
      <p className="flex min-h-6 flex-wrap gap-x-2 text-muted">
        {data === undefined ? (
          <Line width="w-72" />
        ) : (
          <>
            <span className="figures">About {formatPounds(data.approx_gbp)}</span>
            <span aria-hidden="true">·</span>
            <span className="figures">{formatRate(data.gbp_per_usd)}</span>
          </>
        )}
      </p>
      {left !== undefined && <p className="text-muted">{left}</p>}
    </section>
  );
}

function BalanceUnavailable() {
  const address = useAddress();
  const isClosed = useSession().account.status === 'closed';
  return (
    <section aria-label="Wallet" className="grid gap-1">
      <h2 className="flex min-h-7 items-center text-muted">Wallet balance</h2>
      <p>
        Balance hidden while the account is {isClosed ? 'closed' : 'suspended'}. The{' '}
        <Link to={address('/statement')} className="text-tide underline underline-offset-2">
          statement
        </Link>{' '}
        lists every movement.
      </p>
    </section>
  );
}
