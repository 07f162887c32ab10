import type { Account, Balance, Compliance, Invoice, UsageDayList } from '@kelpie/sdk';
import { Link } from 'react-router';
import { useAddress, useEnvironment } from '../../data/environment.ts';
import type { Environment } from '../../data/kelpie.ts';
import {
  attentionLimit,
  troubledPayouts,
  useAccount,
  useBalance,
  useCompliance,
  useDays,
  useInvoices,
  useLongOpenPayouts,
  usePayouts,
} from '../../data/reads.ts';
import { useIsOpen } from '../../data/session.ts';
import { penceOf, formatPounds, formatUsdc } from '../../format/money.ts';
import { formatMonth } from '../../format/time.ts';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { countDaysLeft, wholeDays } from './days-left.ts';
import type { AttentionItem } from './attention-item.ts';
import { isCutOff, openPayoutItems, troubledPayoutItems, underWay } from './payout-attention.ts';

const fewDays = 5;
const verificationItems: Readonly<Record<string, Omit<AttentionItem, 'id' | 'to'>>> = {
  not_started: { text: 'Live is not open yet', detail: 'Verify your business to pay with real money' },
  action_required: { text: 'The bank needs something from you', detail: 'Go on with the verification' },
  rejected: { text: 'The bank did not verify your business', detail: 'See what it means' },
};

/** By the threshold that the partner has set itself, or by how fast it pays. */
function lowWallet({ balance, days, account }: Known): AttentionItem[] {
  if (balance === undefined) return [];
  const threshold = account?.wallet_low_usdc ?? null;
  const item = { id: 'low', text: 'The wallet is running low', to: '/deposits' };
  if (threshold !== null && penceOf(balance.usdc) < penceOf(threshold))
    return [{ ...item, detail: `It is below the ${formatUsdc(threshold)} of your settings` }];
  const left = days === undefined ? undefined : countDaysLeft(balance.approx_gbp, wholeDays(days));
  return left === undefined || left >= fewDays ? [] : [{ ...item, detail: 'See how to top it up' }];
}

function overdueInvoiceItem({ id, period, total_gbp: total }: Invoice): AttentionItem {
  return {
    id: `invoice ${id}`,
    text: `The invoice for ${formatMonth(period)} is overdue`,
    detail: `${formatPounds(total)} to pay`,
    to: `/invoices/${id}`,
  };
}

function billingItems(compliance: Compliance | undefined, environment: Environment): AttentionItem[] {
  if (environment === 'sandbox' || compliance === undefined || compliance.account.billing_email !== null) return [];
  const detail = 'Say who gets them, and they come by mail';
  return [{ id: 'billing', text: 'Nobody gets your invoices', detail, to: '/settings' }];
}

interface Known {
  balance: Balance | undefined;
  days: UsageDayList | undefined;
  account: Account | undefined;
}

function useAttentionItems() {
  const environment = useEnvironment();
  const isOpen = useIsOpen();
  const reads = {
    failed: usePayouts(troubledPayouts),
    open: useLongOpenPayouts(),
    compliance: useCompliance(),
    account: useAccount(),
    invoices: useInvoices(),
    balance: useBalance(),
    days: useDays(),
  };
  const { failed, open, compliance, account, invoices, balance, days } = reads;
  const verification = verificationItems[compliance.data?.business_verification.status ?? ''];
  // Of an account that is suspended the balance is not told: there is nothing that could be read again.
  const all = Object.values(reads).filter((read) => isOpen || read !== balance);
  const unread = all.filter((read) => read.isError && read.data === undefined);
  return {
    items: [
      ...lowWallet({ balance: balance.data, days: days.data, account: account.data }),
      ...(invoices.data ?? []).filter((invoice) => invoice.status === 'overdue').map(overdueInvoiceItem),
      ...(verification === undefined ? [] : [{ id: 'verification', ...verification, to: '/compliance' }]),
      ...billingItems(compliance.data, environment),
      ...openPayoutItems(open.data, attentionLimit),
      ...troubledPayoutItems(failed.data, attentionLimit, failed.dataUpdatedAt),
    ],
    isCut: isCutOff(open.data, attentionLimit) || isCutOff(failed.data, attentionLimit),
    isKnown: all.every((read) => read.data !== undefined),
    error: unread[0]?.error ?? null,
    retry: () => void Promise.all(unread.map(async (read) => read.refetch())),
  };
}

/** What a person should look at, the most pressing first. */
export function Attention() {
  const { items, isKnown, isCut, error, retry } = useAttentionItems();
  // All at once: what comes one by one would move what is below each time.
  const isReady = isKnown || error !== null;
  return (
    <Section title="Needs attention">
      {!isKnown && error !== null && (
        <Problem
          error={error}
          title={`It is not known whether anything${items.length > 0 ? ' else' : ''} needs you.`}
          onRetry={retry}
        />
      )}
      {!isReady && <Rows count={3} />}
      {isKnown && items.length === 0 && <Nothing isCut={isCut} />}
      {isReady && items.length > 0 && <AttentionItems items={items} />}
      {isKnown && isCut && <NotAllSearched />}
    </Section>
  );
}

function AttentionItems({ items }: { items: readonly AttentionItem[] }) {
  const address = useAddress();
  return (
    <ul className="divide-y divide-line border-y border-line">
      {items.map((item) => (
        <li key={item.id}>
          <Link to={address(item.to)} className="flex items-center gap-3 py-2.5 hover:bg-hover">
            <span className="text-returned">
              <Icon name="warning" />
            </span>
            <span className="grid min-w-0 flex-1">
              <span className="font-medium">{item.text}</span>
              <span className="text-small text-muted">{item.detail}</span>
            </span>
            <span className="text-muted">
              <Icon name="right" />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function NotAllSearched() {
  const address = useAddress();
  return (
    <p className="text-small text-muted">
      There are too many payouts to look at all of them here.{' '}
      <Link to={address(underWay)} className="text-tide underline underline-offset-2">
        Look for older ones under way
      </Link>
    </p>
  );
}

function Nothing({ isCut }: { isCut: boolean }) {
  return (
    <p className="flex items-center gap-2 text-muted">
      <span className="text-completed">
        <Icon name="check" />
      </span>
      {isCut ? 'Nothing among the newest payouts.' : 'Nothing. All is as it should be.'}
    </p>
  );
}
