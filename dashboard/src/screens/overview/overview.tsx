import { Link } from 'react-router';
import { useAddress } from '../../data/environment.ts';
import { useCanPay } from '../../data/session.ts';
import { recentPayouts, useIsWalletEmpty, usePayouts } from '../../data/reads.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { WhereToSend } from '../deposits/where-to-send.tsx';
import { PayoutTable } from '../payouts/payout-table.tsx';
import { Attention } from './attention.tsx';
import { Volume } from './volume.tsx';
import { Wallet } from './wallet.tsx';

export function Screen() {
  const address = useAddress();
  const canPay = useCanPay();
  const isWalletEmpty = useIsWalletEmpty();
  return (
    <Page
      title="Overview"
      action={
        canPay && (
          <div className="flex flex-wrap gap-2">
            {isWalletEmpty && (
              <ButtonLink kind="primary" to={address('/deposits')}>
                Top up wallet
              </ButtonLink>
            )}
            <ButtonLink kind={isWalletEmpty ? 'secondary' : 'primary'} to={address('/payouts/new')}>
              <Icon name="plus" />
              New payout
            </ButtonLink>
          </div>
        )
      }
    >
      <div className="grid gap-x-12 gap-y-8 xl:grid-cols-[minmax(0,1fr)_20rem]">
        {/* Two columns; on less than a wide screen one, in which what needs attention comes before the chart. */}
        <div className="grid min-w-0 content-start gap-8 max-xl:contents">
          <Wallet />
          <div className="min-w-0 max-xl:order-2">
            <Volume />
          </div>
          <div className="min-w-0 max-xl:order-3">
            <RecentPayouts />
          </div>
        </div>
        <div className="grid min-w-0 content-start gap-8 max-xl:contents">
          <div className="min-w-0 max-xl:order-1">
            <Attention />
          </div>
          <div className="min-w-0 max-xl:order-4">
            <TopUp />
          </div>
        </div>
      </div>
    </Page>
  );
}

/** On a phone as tall as a finger. */
const asideClassName = 'inline-flex items-center text-tide underline-offset-2 hover:underline max-md:min-h-10';

function TopUp() {
  const address = useAddress();
  return (
    <Section
      title="Top-up details"
      aside={
        <Link to={address('/deposits')} className={asideClassName}>
          View all top-ups
        </Link>
      }
    >
      <WhereToSend />
    </Section>
  );
}

function RecentPayouts() {
  const address = useAddress();
  const payouts = usePayouts(recentPayouts);
  return (
    <Section
      title="Latest payouts"
      aside={
        <Link to={address('/payouts')} className={asideClassName}>
          View all payouts
        </Link>
      }
    >
      <PayoutTable payouts={payouts} label="Latest payouts" isShort />
    </Section>
  );
}
