import type { Call } from '../../platform/database/single-call.ts';
import { applyTransitionsCall } from './apply-transitions.ts';
import { createPayoutsCall } from './create-payouts.ts';
import { wakePayoutsCall } from './lease-columns.ts';
import { resolveOrderCall } from './resolve-order.ts';

/** A function of the database by its name, with so many arguments. */
function functionCall(name: string, size: number): Call {
  const places = Array.from({ length: size }, (_, at) => `$${at + 1}`);
  return { name, text: `select * from kelpie.${name}(${places.join(', ')})` };
}

/** The same of one that changes something. */
function writingCall(name: string, size: number): Call {
  return { ...functionCall(name, size), writes: true };
}

/** Every call that the life of a payout makes: each is a commit of its own, and a moment at which a process can die. */
export const payoutCalls = {
  createPayouts: createPayoutsCall,
  resolveOrder: resolveOrderCall,
  applyTransitions: applyTransitionsCall,
  releaseLease: writingCall('release_payout_lease', 4),
  claimDue: writingCall('claim_due_payouts', 5),
  nextDue: {
    name: 'next_due_work',
    text: `select p.live, p.sandbox, (select min(e.due_at) from kelpie.unmatched_bank_events e) as webhooks
           from kelpie.next_due_payouts() p`,
  },
  findPaymentBlock: functionCall('find_payment_block', 3),
  isBlockedByDebt: functionCall('is_blocked_by_debt', 2),
  findPayout: functionCall('find_payout', 3),
  findClaim: functionCall('find_claim', 3),
  adoptRecovered: writingCall('adopt_recovered_payout', 14),
  findOrders: functionCall('find_orders', 3),
  findCorrectedOrders: functionCall('find_corrected_orders', 4),
  listUnsettled: functionCall('list_unsettled_payouts', 4),
  importPayout: writingCall('import_payout', 29),
  retrieveChanged: {
    name: 'retrieve_changed_payouts',
    text: 'select place, revision, updated_at, (payout).* from kelpie.retrieve_changed_payouts($1, $2, $3, $4, $5)',
  },
  listRevisions: functionCall('list_payout_revisions', 4),
  findPayouts: {
    name: 'find_payouts',
    text: 'select place, (payout).* from kelpie.find_payouts($1, $2, $3)',
  },
  retrieveVersions: {
    name: 'retrieve_versions',
    text: 'select place, (payout).* from kelpie.retrieve_versions($1, $2, $3, $4)',
  },
  listPayouts: functionCall('list_payouts', 4),
  filterPayouts: functionCall('filter_payouts', 11),
  readArchived: {
    name: 'read_archived_payout',
    text: `select p.* from jsonb_populate_record(null::kelpie.payouts, $1::jsonb -> 'payout') p`,
  },
  filterArchived: {
    name: 'filter_archived_payouts',
    text: `select p.id, p.state, p.reference, p.bank_reference, p.amount_pence, p.fee_pence, p.wallet_debit_micro_usdc,
             p.recipient_name, p.account_last4, p.failure_code, p.failure_reason, p.updated_at, p.created_via,
             p.idempotency_key, p.duplicate_suspected
           from unnest($1::text[]) as line
           cross join lateral jsonb_populate_record(null::kelpie.payouts, line::jsonb -> 'payout') p
           where kelpie.is_visible(p.state) and ($2::kelpie.payout_state[] is null or p.state = any ($2))
             and ($3::text is null or p.reference = $3) and ($4::uuid is null or p.order_id = $4)
             and ($5::text is null or p.account_last4 = $5) and ($6::text is null or p.created_via = $6)
           order by p.id desc`,
  },
  listRecipients: functionCall('list_recipients', 5),
  countByDay: functionCall('count_payouts_by_day', 4),
  findKnownRecipient: functionCall('find_known_recipient', 3),
  wake: wakePayoutsCall,
  keepUnmatched: {
    name: 'keep_unmatched_events',
    text: `insert into kelpie.unmatched_bank_events (environment, event_id, payment_id, order_id, received_at, due_at)
           select e.environment, e.event_id, e.payment_id, e.order_id, e.at, e.at + $6::interval
           from unnest($1::kelpie.environment[], $2::text[], $3::text[], $4::uuid[], $5::timestamptz[])
             as e (environment, event_id, payment_id, order_id, at)
           on conflict do nothing`,
    writes: true,
  },
  claimUnmatched: {
    name: 'claim_unmatched_events',
    text: `update kelpie.unmatched_bank_events e
           set tries = e.tries + 1, due_at = $1::timestamptz + make_interval(secs => 2 ^ least(e.tries, 12))
           from (
             select environment, event_id from kelpie.unmatched_bank_events
             where due_at <= $1 order by due_at limit $2 for update skip locked
           ) due
           where e.environment = due.environment and e.event_id = due.event_id
           returning e.environment, e.event_id, e.payment_id, e.order_id, e.tries`,
    writes: true,
  },
  dropUnmatched: {
    name: 'drop_unmatched_event',
    text: 'delete from kelpie.unmatched_bank_events where environment = $1 and event_id = $2',
    writes: true,
  },
} as const satisfies Record<string, Call>;
