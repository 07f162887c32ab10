// Each fault that must fire one alert. What takes hours in life is planted as already old.
import { eventually } from '@kelpie/dev/eventually.ts';
import { newId } from '../../src/platform/ids.ts';
import { plantPayout } from '../harness/planted-payout.ts';
import { signIn } from '../harness/people.ts';
import { askCode } from '../harness/sign-in.ts';
import type { TrialStage } from './stage.ts';

export interface TrialFault {
  name: string;
  alert: string;
  receiver: 'pages' | 'tickets';
  begin(stage: TrialStage): Promise<void>;
  end(stage: TrialStage): Promise<void>;
}

/** Triggers keep rows as they are. */
const unguarded = 'set session_replication_role = replica;';

const processFaults: readonly TrialFault[] = [
  {
    name: 'both workers are killed',
    alert: 'NoWorker',
    receiver: 'pages',
    begin: async ({ killWorkers }) => killWorkers(),
    end: async ({ startWorkers }) => startWorkers(),
  },
  {
    name: 'the api is killed',
    alert: 'NoApi',
    receiver: 'pages',
    begin: async ({ killApi }) => killApi(),
    end: async ({ startApi }) => startApi(),
  },
  {
    name: 'the database is stopped',
    alert: 'WritesClosed',
    receiver: 'pages',
    begin: async ({ server }) => server.stop('immediate'),
    end: async ({ server }) => server.start(),
  },
];

const moneyFaults: readonly TrialFault[] = [
  {
    name: 'a rail is paused',
    alert: 'RailPaused',
    receiver: 'pages',
    async begin({ query }) {
      await query(`insert into kelpie.payment_blocks (id, cause, rail, reason, since, by)
        values (gen_random_uuid(), 'rail_paused', 'provider_production', 'trial', now(), 'test')`);
    },
    async end({ query }) {
      await query(`delete from kelpie.payment_blocks where cause = 'rail_paused'`);
    },
  },
  {
    name: 'the bank does not answer',
    alert: 'BankBreakerOpen',
    receiver: 'pages',
    async begin({ bankProxy }) {
      bankProxy.setFault({ kind: 'black-hole' });
      bankProxy.cut();
    },
    async end({ bankProxy }) {
      bankProxy.setFault({ kind: 'none' });
      bankProxy.cut();
    },
  },
  {
    name: 'the outcome of a payout stays unknown',
    alert: 'PayoutPendingTooLong',
    receiver: 'pages',
    async begin({ query, world }) {
      const anHourAgo = { now: () => new Date(Date.now() - 60 * 60_000) };
      const { id } = await plantPayout(world.database, world.partner, 'pending', { id: newId(anHourAgo) });
      // No worker claims it.
      await query(`insert into kelpie.payout_leases (payout_id, partner_id, environment, due_at, leased_until)
        values ('${id}', '${world.partner.partnerId}', 'live', now() + interval '1 day', now() + interval '1 day')`);
    },
    async end({ query }) {
      // All of it: nothing was ever booked for it, which a verification of the ledger would find.
      await query(`${unguarded}
        with planted as (
          delete from kelpie.payout_leases where due_at > now() + interval '1 hour' returning payout_id
        ), keys as (
          delete from kelpie.idempotency_keys where payout_id in (select payout_id from planted)
        ), history as (
          delete from kelpie.payout_history where payout_id in (select payout_id from planted)
        )
        delete from kelpie.payouts where id in (select payout_id from planted)`);
    },
  },
  {
    name: 'a case is open for days',
    alert: 'CaseTooOld',
    receiver: 'tickets',
    async begin({ query, world }) {
      await query(`insert into kelpie.cases (id, partner_id, environment, payout_id, kind, detail, opened_at)
        values (gen_random_uuid(), '${world.partner.partnerId}', 'live', gen_random_uuid(), 'stuck', 'trial', now() - interval '3 days')`);
    },
    async end({ query }) {
      await query(`${unguarded} delete from kelpie.cases where detail = 'trial'`);
    },
  },
  {
    name: 'no reconciliation is clean',
    alert: 'ReconciliationNotClean',
    receiver: 'tickets',
    async begin({ query }) {
      await query(`${unguarded} update kelpie.reconciliations
        set started_at = started_at - interval '2 days', cut_off_at = cut_off_at - interval '2 days',
          finished_at = finished_at - interval '2 days'`);
    },
    async end({ query }) {
      await query(`insert into kelpie.reconciliations (id, asked_by, started_at, cut_off_at, finished_at, state)
        values (gen_random_uuid(), 'test', now(), now(), now(), 'clean')`);
    },
  },
  {
    name: 'the ledger is not verified',
    alert: 'LedgerNotVerified',
    receiver: 'tickets',
    async begin({ query }) {
      await query(`${unguarded} update kelpie.ledger_verifications
        set began_at = began_at - interval '2 days', ended_at = ended_at - interval '2 days'`);
    },
    async end({ round }) {
      await round('verify-ledger');
    },
  },
];

const operationsFaults: readonly TrialFault[] = [
  {
    name: 'a schedule is missed',
    alert: 'ScheduleLate',
    receiver: 'tickets',
    async begin({ query }) {
      await query(`update pgboss.schedule set created_on = now() - interval '3 days' where name = 'sweep-mails'`);
    },
    async end({ round }) {
      await round('sweep-mails');
    },
  },
  {
    name: 'a job is given up',
    alert: 'JobGivenUp',
    receiver: 'tickets',
    async begin({ query }) {
      await query(
        `insert into pgboss.job (name, data, state, completed_on) values ('email-invoice', '{}', 'failed', now())`,
      );
    },
    async end({ query }) {
      await query(`delete from pgboss.job where name = 'email-invoice' and state = 'failed'`);
    },
  },
  {
    name: 'the next month has no partition',
    alert: 'NextMonthMissing',
    receiver: 'pages',
    async begin({ query }) {
      const month = new Date();
      month.setUTCMonth(month.getUTCMonth() + 1, 1);
      await query(`drop table kelpie.activity_${month.toISOString().slice(0, 7).replace('-', '_')}`);
    },
    async end({ round }) {
      await round('month-partitions');
    },
  },
  {
    name: 'the mail relay is gone',
    alert: 'EmailTooOld',
    receiver: 'tickets',
    async begin({ relayProxy, query, world }) {
      relayProxy.setFault({ kind: 'black-hole' });
      const { email } = await signIn(world.database, world.partner, { url: world.api.url });
      await askCode(world.api.url, email);
      await eventually('an email waits', async () => {
        const rows = await query(`update kelpie.outgoing_mails set created_at = created_at - interval '20 minutes'
          where content_encrypted is not null returning id`);
        return rows.length > 0;
      });
    },
    async end({ relayProxy, query }) {
      relayProxy.setFault({ kind: 'none' });
      relayProxy.cut();
      // Its next attempt may be minutes away.
      await eventually(
        'no email waits',
        async () => {
          await query(`update pgboss.job set start_after = now() where name = 'send-mail' and state = 'retry'`);
          return (await query('select from kelpie.outgoing_mails where content_encrypted is not null')).length === 0;
        },
        120_000,
      );
    },
  },
  {
    name: 'events are not numbered',
    alert: 'EventsNotNumbered',
    receiver: 'pages',
    async begin({ query }) {
      await query('revoke execute on function kelpie.number_events from kelpie_service');
    },
    async end({ query }) {
      await query('grant execute on function kelpie.number_events to kelpie_service');
    },
  },
  {
    name: 'webhooks are not sent',
    alert: 'DeliveriesLate',
    receiver: 'pages',
    async begin({ query }) {
      await query('revoke execute on function kelpie.claim_due_deliveries from kelpie_service');
    },
    async end({ query }) {
      await query('grant execute on function kelpie.claim_due_deliveries to kelpie_service');
    },
  },
];

export const trialFaults: readonly TrialFault[] = [...operationsFaults, ...moneyFaults, ...processFaults];
