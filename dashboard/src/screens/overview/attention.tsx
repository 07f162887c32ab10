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
  useLimits,
  useLongOpenPayouts,
  usePayouts,
} from '../../data/reads.ts';
import { useIsOpen } from '../../data/session.ts';
import { leftToPay } from '../../format/invoice-labels.ts';
import { penceOf, formatPounds, formatUsdc } from '../../format/money.ts';
import { formatMonth } from '../../format/time.ts';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { countDaysLeft, wholeDays } from './days-left.ts';
import type { AttentionItem, AttentionLevel } from './attention-item.ts';
import { frozenItems, limitItems } from './security-attention.ts';
import { isCutOff, openPayoutItems, troubledPayoutItems, underWay } from './payout-attention.ts';

const fewDays = 5;
const verificationItems: Readonly<Record<string, Omit<AttentionItem, 'id' | 'to'>>> = {
  not_started: {
    level: 'info',
    text: 'Verify your business',
    detail: 'The bank has to approve it before you can pay with real money',
  },
  action_required: {
    level: 'warning',
    text: 'Continue your verification',
    detail: 'The bank needs more information from you',
  },
  rejected: { level: 'urgent', text: 'The bank did not approve your business', detail: 'View verification' },
};

/** Empty, below the account's own threshold, or nearly used up at the recent pace. */
function walletItems({ balance, days, account }: Known): AttentionItem[] {
  if (balance === undefined) return [];
  const item = { id: 'low', level: 'urgent', to: '/deposits' } as const;
  if (penceOf(balance.usdc) === 0n)
    return [{ ...item, text: 'Top up your wallet', detail: 'It is empty. Payouts need USDC in the wallet' }];
  const threshold = account?.wallet_low_usdc ?? null;
  const low = { ...item, text: 'Your wallet balance is low' };
  if (threshold !== null && penceOf(balance.usdc) < penceOf(threshold))
    return [{ ...low, detail: `It is below your threshold of ${formatUsdc(threshold)}` }];
  const left = days === undefined ? undefined : countDaysLeft(balance.approx_gbp, wholeDays(days));
  return left === undefined || left >= fewDays ? [] : [{ ...low, detail: 'View top-up details' }];
}

function overdueInvoiceItem(invoice: Invoice): AttentionItem {
  const { id, period } = invoice;
  return {
    id: `invoice ${id}`,
    level: 'urgent',
    text: `The invoice for ${formatMonth(period)} is overdue`,
    detail: `${formatPounds(leftToPay(invoice))} due`,
    to: `/invoices/${id}`,
  };
}

function billingItems(compliance: Compliance | undefined, environment: Environment): AttentionItem[] {
  if (environment === 'sandbox' || compliance === undefined || compliance.account.billing_email !== null) return [];
  const detail = 'Until then, we email invoices to the admin who joined first';
  return [{ id: 'billing', level: 'info', text: 'Add a billing email', detail, to: '/settings' }];
}

const levels: readonly AttentionLevel[] = ['urgent', 'warning', 'info'];

function byLevel(items: readonly AttentionItem[]): AttentionItem[] {
  return items.toSorted((one, other) => levels.indexOf(one.level) - levels.indexOf(other.level));
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
    limits: useLimits(),
  };
  const { failed, open, compliance, account, invoices, balance, days, limits } = reads;
  const verification = verificationItems[compliance.data?.business_verification.status ?? ''];
  // The balance of a suspended account is hidden, so there is nothing to retry.
  const all = Object.values(reads).filter((read) => isOpen || read !== balance);
  const unread = all.filter((read) => read.isError && read.data === undefined);
  return {
    items: byLevel([
      ...frozenItems(account.data),
      ...walletItems({ balance: balance.data, days: days.data, account: account.data }),
      ...(invoices.data ?? []).filter((invoice) => invoice.status === 'overdue').map(overdueInvoiceItem),
      ...(verification === undefined ? [] : [{ id: 'verification', ...verification, to: '/compliance' }]),
      ...limitItems(limits.data),
      ...billingItems(compliance.data, environment),
      ...openPayoutItems(open.data, attentionLimit),
      ...troubledPayoutItems(failed.data, attentionLimit, failed.dataUpdatedAt),
    ]),
    isCut: isCutOff(open.data, attentionLimit) || isCutOff(failed.data, attentionLimit),
    isKnown: all.every((read) => read.data !== undefined),
    error: unread[0]?.error ?? null,
    retry: () => void Promise.all(unread.map(async (read) => read.refetch())),
  };
}

/** What a person should look at, the most urgent first. */
export function Attention() {
  const { items, isKnown, isCut, error, retry } = useAttentionItems();
  // All at once: items that arrive one by one would move what is below.
  const isReady = isKnown || error !== null;
  return (
    <Section title="Needs attention">
      {!isKnown && error !== null && (
        <Problem
          error={error}
          title={`We could not check whether anything${items.length > 0 ? ' else' : ''} needs your attention.`}
          onRetry={retry}
        />
      )}
      {!isReady && <Rows count={3} />}
      {isKnown && items.length === 0 && <AllCaughtUp isCut={isCut} />}
      {isReady && items.length > 0 && <AttentionItems items={items} />}
      {isKnown && isCut && <NotAllSearched />}
    </Section>
  );
}

const levelClassNames: Readonly<Record<AttentionLevel, string>> = {
  urgent: 'text-failed',
  warning: 'text-returned',
  info: 'text-muted',
};

function AttentionItems({ items }: { items: readonly AttentionItem[] }) {
  const address = useAddress();
  return (
    <ul className="divide-y divide-line border-y border-line">
      {items.map((item) => (
        <li key={item.id}>
          <Link to={address(item.to)} className="flex items-center gap-3 py-2.5 hover:bg-hover">
            <span className={levelClassNames[item.level]}>
              <Icon name={item.level === 'info' ? 'info' : 'warning'} />
              {item.level === 'urgent' && <span className="sr-only">Urgent:</span>}
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
      Only your newest payouts are checked here.{' '}
      <Link to={address(underWay)} className="text-tide underline underline-offset-2">
        View all payouts in progress
      </Link>
    </p>
  );
}

function AllCaughtUp({ isCut }: { isCut: boolean }) {
  return (
    <p className="flex items-center gap-2 text-muted">
      <span className="text-completed">
        <Icon name="check" />
      </span>
      {isCut ? 'Nothing to do for your newest payouts.' : "You're all caught up."}
    </p>
  );
}
