import type { Hole } from '../attack/hole.ts';

/** Bugs that the judge of the fault tests must find, each planted by planted-bugs.soak.test.ts. */
export const plantedBugs = {
  /** A repeated idempotency key creates another payout. */
  'idempotency-claim-skipped': {
    file: 'service/database/functions/payouts/create_payouts.sql',
    edits: [['left join claimed on claimed.payout_id', 'left join asked as claimed on claimed.payout_id']],
  },
  /** A deposit is posted to the wallet twice. */
  'credited-twice': {
    file: 'service/src/funding/apply-deposit.ts',
    edits: [
      [
        'const [outcome] = await postTransfers(',
        'await postTransfers(tx, [{ ...partnerEnvironment, id: newId(deps.clock), reason, causeId: depositId, lines }]); const [outcome] = await postTransfers(',
      ],
    ],
  },
  /** A payment whose answer was lost counts as not sent: 502, and the hold goes back. */
  'hold-released-on-time-out': {
    file: 'service/src/payouts/lifecycle/send-payout.ts',
    edits: [
      [
        "case 'accepted':\n    case 'unknown':\n      return sent;",
        "case 'accepted':\n      return sent;\n    case 'unknown':\n      return { kind: 'nothing_sent', why: 'unreachable', text: sent.text };",
      ],
    ],
  },
  /** A commit that no standby confirmed counts as done. */
  'warning-taken-for-success': {
    file: 'service/src/platform/database/single-call.ts',
    edits: [["if (warned) throw new CommitUncertain('database_commit_unconfirmed');", '']],
  },
  /** A restored database is not recognised, so its payouts can be sent again. */
  'resent-after-restore': {
    file: 'service/database/functions/platform/compare_heartbeat.sql',
    edits: [['select h.number, h.number < anchored into', 'select h.number, false into']],
  },
} as const satisfies Readonly<Record<string, Hole>>;
