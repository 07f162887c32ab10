import type { Pence } from '../../money/amounts.ts';
import { dashboardPages } from '../../platform/dashboard-pages.ts';
import type { MailBlock, MailMessage } from '../../platform/mail/layout.ts';
import { showPounds } from './shown-pounds.ts';

type ProblemKind = 'failed' | 'returned' | 'stuck';

export interface PayoutProblem {
  payoutId: string;
  kind: ProblemKind;
  amount: Pence;
  recipientName: string;
  reference: string | null;
  /** Why it failed or was returned; null for one that is stuck. */
  reason: string | null;
  /** Whether the money is still on hold, or in suspense. */
  isHeld: boolean;
}

interface PayoutProblems {
  business: string;
  environment: 'sandbox' | 'live';
  /** The first of them. */
  problems: readonly PayoutProblem[];
  /** How many there are in all. */
  total: number;
  dashboardUrl: string | null;
}

const verbs: Readonly<Record<ProblemKind, string>> = {
  failed: 'failed',
  returned: 'was returned',
  stuck: 'is delayed',
};
const titles: Readonly<Record<ProblemKind, string>> = { failed: 'Failed', returned: 'Returned', stuck: 'Delayed' };

function moneyOf({ kind, isHeld }: PayoutProblem): string {
  switch (kind) {
    case 'failed':
      return isHeld
        ? 'The money is on hold until the bank refunds it. Then it goes back to your wallet.'
        : 'The money is back in your wallet.';
    case 'returned':
      return isHeld
        ? 'The bank sent back an unexpected amount. We are checking it with the bank.'
        : 'The money that the bank sent back is in your wallet.';
    case 'stuck':
      return 'The money is on hold. We keep checking with the bank. Do not send this payout again.';
  }
}

const settingsHint =
  'You get this email because you have payout emails turned on. We send at most one every 15 minutes. You can turn them off in the dashboard under Settings, “Notifications”.';

/** One problem has its own email, and several are a list. Bank details are in neither. */
export function payoutProblemsMail(digest: PayoutProblems): MailMessage {
  const [only] = digest.problems;
  return digest.total === 1 && only !== undefined ? describeOne(digest, only) : describeSeveral(digest);
}

function linkTo(dashboardUrl: string | null, { label, page }: { label: string; page: string }) {
  return dashboardUrl === null ? null : { label, url: dashboardUrl + page };
}

/** The environment is in every subject, so that nobody takes a test for real money. */
function describeOne({ business, environment, dashboardUrl }: PayoutProblems, problem: PayoutProblem): MailMessage {
  const { kind, amount, recipientName, reference, reason, payoutId } = problem;
  const link = linkTo(dashboardUrl, { label: 'View payout', page: dashboardPages.payout(environment, payoutId) });
  const happened = `${environment} payout of ${showPounds(amount)} to ${recipientName} ${verbs[kind]}`;
  return {
    subject: `Your ${happened}`,
    lead: `Your ${happened}.`,
    blocks: [
      {
        kind: 'facts',
        facts: [
          ['Account', business],
          ['Amount', showPounds(amount)],
          ['Recipient', recipientName],
          ...(reference === null ? [] : [['Reference', reference] as const]),
          ...(reason === null ? [] : [['Reason', reason] as const]),
        ],
      },
      { kind: 'words', text: moneyOf(problem) },
      ...(link === null ? [] : [{ kind: 'link', ...link } as const]),
      { kind: 'aside', text: settingsHint },
    ],
  };
}

function describeSeveral({ business, environment, problems, total, dashboardUrl }: PayoutProblems): MailMessage {
  const link = linkTo(dashboardUrl, { label: 'View payouts', page: dashboardPages.payouts(environment) });
  const left = total - problems.length;
  const entries: MailBlock = {
    kind: 'entries',
    entries: problems.map((problem) => ({
      title: `${titles[problem.kind]}: ${showPounds(problem.amount)} to ${problem.recipientName}`,
      detail: [problem.reference === null ? null : `Reference ${problem.reference}.`, problem.reason, moneyOf(problem)]
        .filter((text) => text !== null)
        .join(' '),
      link: linkTo(dashboardUrl, { label: 'View payout', page: dashboardPages.payout(environment, problem.payoutId) }),
    })),
  };
  return {
    subject: `${total} ${environment} payouts need your attention`,
    lead: `${total} ${environment} payouts of ${business} failed, were returned or are delayed.`,
    blocks: [
      entries,
      ...(left === 0 ? [] : [{ kind: 'words', text: `And ${left} more.` } as const]),
      ...(link === null ? [] : [{ kind: 'link', ...link } as const]),
      { kind: 'aside', text: settingsHint },
    ],
  };
}
