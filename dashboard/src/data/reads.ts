// What the pages read, each under one key, and how often it is refreshed while the person is active.
import type {
  DepositFilters,
  InvoiceItemFilters,
  PayoutFilters,
  SecurityEventFilters,
  StatementQuery,
} from '@kelpie/sdk';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { penceOf } from '../format/money.ts';
import { useAccountEnvironment, useAccountKelpie, useEnvironment, useKelpie } from './environment.ts';
import { kelpie as anyKelpie, kelpieOf, type Environment } from './kelpie.ts';
import { liveEvery } from './presence.ts';
import { useSession } from './session.ts';

const quick = liveEvery(4_000);
const steady = liveEvery(15_000);
const slow = liveEvery(60_000);

// shell/prefetch.ts also requests these before the page is loaded, when the account is not known yet.

export const balanceQuery = (environment: Environment, account?: string) =>
  queryOptions({
    queryKey: [environment, 'balance'],
    queryFn: async ({ signal }) => kelpieOf(environment, account).balance.get({ signal }),
    refetchInterval: steady,
  });

export function useBalance() {
  return useQuery(balanceQuery(useEnvironment(), useSession().account.id));
}

/** No payout can be sent before it is topped up. */
export function useIsWalletEmpty(): boolean {
  const { data } = useBalance();
  return data !== undefined && penceOf(data.usdc) === 0n;
}

export const complianceQuery = (environment: Environment, account?: string) =>
  queryOptions({
    queryKey: [environment, 'compliance'],
    queryFn: async ({ signal }) => kelpieOf(environment, account).compliance.get({ signal }),
    refetchInterval: slow,
    staleTime: 30_000,
  });

export function useCompliance() {
  return useQuery(complianceQuery(useAccountEnvironment(), useSession().account.id));
}

export const daysQuery = (environment: Environment, account?: string) =>
  queryOptions({
    queryKey: [environment, 'days'],
    queryFn: async ({ signal }) => kelpieOf(environment, account).usage.listDays({ signal }),
    // Where there are too many payouts to count, counting them is work: what a day changes is little then.
    refetchInterval: ({ state: { data } }) => (data === undefined || data.counted_since === null ? steady() : slow()),
  });

export function useDays() {
  return useQuery(daysQuery(useEnvironment(), useSession().account.id));
}

export const fundingQuery = (environment: Environment, account?: string) =>
  queryOptions({
    queryKey: [environment, 'funding'],
    queryFn: async ({ signal }) => kelpieOf(environment, account).funding.get({ signal }),
    // The bank opens both ways within seconds of a new account; then they stay as they are.
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data.bank_transfer === null || data.usdc === null ? quick() : false,
    staleTime: 60_000,
  });

export function useFunding() {
  return useQuery(fundingQuery(useEnvironment(), useSession().account.id));
}

export const payoutsQuery = (environment: Environment, filters: PayoutFilters, account?: string) =>
  queryOptions({
    queryKey: [environment, 'payouts', filters],
    queryFn: async ({ signal }) => kelpieOf(environment, account).payouts.list(filters, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: quick,
  });

/** What the overview shows of them. */
export const recentPayouts: PayoutFilters = { limit: 6 };
/** How many payouts of a kind stand under what needs attention; the list has the others. */
export const attentionLimit = 3;
export const troubledPayouts: PayoutFilters = { status: ['failed', 'returned'], limit: attentionLimit };

export function usePayouts(filters: PayoutFilters) {
  return useQuery(payoutsQuery(useEnvironment(), filters, useSession().account.id));
}

/** Faster Payments take minutes: what takes this long is worth a look. */
const longUnderWayMs = 2 * 3_600_000;

/** Payouts in progress for longer than usual. They are few, so they are refreshed seldom. */
export function useLongOpenPayouts() {
  const kelpie = useKelpie();
  return useQuery({
    queryKey: [useEnvironment(), 'long-open'],
    queryFn: async ({ signal }) => {
      const madeBefore = new Date(Date.now() - longUnderWayMs).toISOString();
      return kelpie.payouts.list(
        { status: ['pending', 'processing'], created_before: madeBefore, limit: attentionLimit },
        { signal },
      );
    },
    refetchInterval: slow,
  });
}

export function useAccount() {
  const kelpie = useAccountKelpie();
  return useQuery({
    queryKey: [useAccountEnvironment(), 'account'],
    queryFn: async ({ signal }) => kelpie.account.get({ signal }),
    refetchInterval: slow,
    staleTime: 60_000,
  });
}

/** A person's own settings are the same in both environments. */
export const notificationsKey = ['notifications'];

export function useNotifications() {
  const kelpie = useAccountKelpie();
  return useQuery({
    queryKey: notificationsKey,
    queryFn: async ({ signal }) => kelpie.members.getNotifications({ signal }),
    staleTime: 60_000,
  });
}

export function useUsage() {
  const kelpie = useKelpie();
  return useQuery({
    queryKey: [useEnvironment(), 'usage'],
    queryFn: async ({ signal }) => kelpie.usage.get({ signal }),
    refetchInterval: steady,
  });
}

export function useDeposits(filters: DepositFilters) {
  const kelpie = useKelpie();
  return useQuery({
    queryKey: [useEnvironment(), 'deposits', filters],
    queryFn: async ({ signal }) => kelpie.deposits.list(filters, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: quick,
  });
}

export function useStatement(query: StatementQuery) {
  const kelpie = useKelpie();
  return useQuery({
    queryKey: [useEnvironment(), 'statement', query],
    queryFn: async ({ signal }) => kelpie.statements.get(query, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: slow,
  });
}

const openStates = new Set(['pending', 'processing']);

export function usePayout(id: string) {
  const kelpie = useKelpie();
  return useQuery({
    queryKey: [useEnvironment(), 'payout', id],
    queryFn: async ({ signal }) => kelpie.payouts.get(id, { signal }),
    // A payout in progress may end at any moment; one that has ended seldom changes.
    refetchInterval: ({ state }) => (openStates.has(state.data?.status ?? '') ? liveEvery(1_500)() : steady()),
  });
}

/** `changedAt` is the payout's: a change there means new history. */
export function usePayoutHistory(id: string, changedAt: string) {
  const kelpie = useKelpie();
  return useQuery({
    queryKey: [useEnvironment(), 'payout', id, 'history', changedAt],
    queryFn: async ({ signal }) => kelpie.payouts.getHistory(id, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
}

export function useRecipients() {
  const kelpie = useKelpie();
  return useQuery({
    queryKey: [useEnvironment(), 'recipients'],
    queryFn: async ({ signal }) => (await kelpie.recipients.list({}, { signal })).data,
    refetchInterval: steady,
  });
}

export function useInvoices() {
  const kelpie = useKelpie();
  return useQuery({
    queryKey: ['invoices'],
    queryFn: async ({ signal }) => (await kelpie.invoices.list({}, { signal })).data,
    refetchInterval: slow,
  });
}

export function useInvoice(id: string) {
  const kelpie = useKelpie();
  return useQuery({
    queryKey: ['invoice', id],
    queryFn: async ({ signal }) => kelpie.invoices.get(id, { signal }),
    refetchInterval: slow,
  });
}

/** What is behind a line never changes: the month is closed. */
export function useInvoiceItems(id: string, filters: InvoiceItemFilters) {
  const kelpie = useKelpie();
  return useQuery({
    queryKey: ['invoice', id, 'items', filters],
    queryFn: async ({ signal }) => kelpie.invoices.listItems(id, filters, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
}

/** The accounts of the person who is signed in. */
export function useOwnAccounts() {
  return useQuery({
    queryKey: ['own-accounts'],
    queryFn: async ({ signal }) => anyKelpie.auth.listAccounts({ signal }),
  });
}

export function useKeys() {
  const kelpie = useKelpie();
  return useQuery({
    queryKey: ['keys'],
    queryFn: async ({ signal }) => (await kelpie.keys.list({}, { signal })).data,
    refetchInterval: steady,
  });
}

export function useMembers() {
  const kelpie = useKelpie();
  return useQuery({
    queryKey: ['members'],
    queryFn: async ({ signal }) => (await kelpie.members.list({}, { signal })).data,
    refetchInterval: slow,
  });
}

export function useActivity() {
  const kelpie = useKelpie();
  return useQuery({
    queryKey: ['activity'],
    queryFn: async ({ signal }) => (await kelpie.activity.list({}, { signal })).data,
    refetchInterval: steady,
  });
}

export function useLimits() {
  const kelpie = useKelpie();
  return useQuery({
    queryKey: [useEnvironment(), 'limits'],
    queryFn: async ({ signal }) => kelpie.limits.get({ signal }),
    refetchInterval: steady,
  });
}

/** Those that wait, the oldest first: they expire first. */
export function usePayoutRequests() {
  const kelpie = useKelpie();
  return useQuery({
    queryKey: [useEnvironment(), 'payout-requests'],
    queryFn: async ({ signal }) =>
      (await kelpie.payoutRequests.list({ status: 'open', limit: 200 }, { signal })).data.toReversed(),
    refetchInterval: quick,
  });
}

export function usePayoutRequest(id: string) {
  const kelpie = useKelpie();
  return useQuery({
    queryKey: [useEnvironment(), 'payout-requests', id],
    queryFn: async ({ signal }) => kelpie.payoutRequests.get(id, { signal }),
  });
}

export function useApprovalRules() {
  const kelpie = useKelpie();
  return useQuery({
    queryKey: [useEnvironment(), 'approval-rules'],
    queryFn: async ({ signal }) => kelpie.approvalRules.get({ signal }),
    refetchInterval: steady,
  });
}

export const sessionsKey = ['sessions'];

export function useSessions() {
  const kelpie = useAccountKelpie();
  return useQuery({
    queryKey: sessionsKey,
    queryFn: async ({ signal }) => kelpie.auth.listSessions({ signal }),
    refetchInterval: steady,
  });
}

export const passkeysKey = ['passkeys'];

export function usePasskeys() {
  const kelpie = useAccountKelpie();
  return useQuery({
    queryKey: passkeysKey,
    queryFn: async ({ signal }) => kelpie.passkeys.listOwn({ signal }),
    refetchInterval: steady,
  });
}

export const passkeyRuleKey = ['passkey-rule'];

export function usePasskeyRule() {
  const kelpie = useAccountKelpie();
  return useQuery({
    queryKey: passkeyRuleKey,
    queryFn: async ({ signal }) => kelpie.passkeys.getRule({ signal }),
    refetchInterval: steady,
  });
}

export function useSecurityEvents(filters: SecurityEventFilters) {
  const kelpie = useAccountKelpie();
  return useQuery({
    queryKey: ['security-events', filters],
    queryFn: async ({ signal }) => kelpie.securityEvents.list(filters, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: steady,
  });
}

/** For pages before sign-in; undefined until it is known. */
export function useSupportEmail(): string | undefined {
  const { data } = useQuery({
    queryKey: ['discovery'],
    queryFn: async ({ signal }) => anyKelpie.discovery.get({ signal }),
    staleTime: Infinity,
  });
  return data?.support_email;
}
