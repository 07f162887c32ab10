import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import type { BackupRepository } from '@kelpie/dev/postgres/backup-repository.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { formatExactUsdc } from '../../src/money/amounts.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { dayOf } from '../../src/platform/london-day.ts';
import { createBilledPartners } from '../billing/billed-partners.ts';
import { seedDeposit } from '../database/seed-every-table.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createPartners } from '../harness/partners.ts';
import { signIn } from '../harness/people.ts';
import { plantInvoice } from '../harness/planted-invoice.ts';
import { makeLost, payAtBank, paymentsOf, refuseAndPay, untilPaid } from '../payouts/open-payouts.ts';
import { plantFailedJob, queryIn, runAs, slugOf, type RunbookStage, type Situation } from './stage.ts';

interface Staging {
  stage: RunbookStage;
  repository: BackupRepository;
  /** For files that commands read, and folders that they write. */
  folder: string;
}

type Prepare = (staging: Staging) => Promise<Situation>;

const findings = [0, 1];

async function payOnce(stage: RunbookStage): Promise<string> {
  const { id } = await stage.pay(randomUUID());
  await stage.settle();
  return id;
}

async function newestPayout(stage: RunbookStage): Promise<string> {
  const [row] = await stage.query('select id from kelpie.payouts order by id desc limit 1');
  return row?.['id'] ?? '';
}

const payoutStuck: Prepare = async ({ stage }) => {
  const refused = await refuseAndPay(stage, randomUUID());
  await untilPaid(stage, refused.payment);
  await stage.settle();
  const [lost, found] = [await makeLost(stage), await makeLost(stage)];
  // A worker may still be asking the bank.
  await stage.moveTime(3 * 60_000);
  await stage.bank.control('/webhooks', { mode: 'lose' });
  const payment = await payAtBank(stage, found.facts.order);
  await untilPaid(stage, payment);
  const [paid] = await paymentsOf(stage, found.facts.order);
  return {
    ids: {
      'payouts show': lost.made.id,
      'payouts refresh': lost.made.id,
      'payouts release': lost.made.id,
      'payouts settle': found.made.id,
      'payouts adopt': refused.facts.id,
      'cases close': lost.caseId,
    },
    payments: { 'payouts settle': payment, 'payouts adopt': refused.payment },
    words: { '126.59': formatExactUsdc(paid?.took ?? 0n) },
    before: { 'cases close': async () => stage.settle() },
  };
};

/** In a database of their own: nothing was posted for them. */
const invoices: Prepare = async ({ stage, folder }) => {
  const database = await createTestDatabase();
  await runAs(stage, ['reconcile', 'run', '--json'], { database });
  const [billed, voided] = await createBilledPartners(database, 2, new Date());
  if (billed === undefined || voided === undefined) throw new Error('no partners');
  const numberOf = async (partnerId: string): Promise<string> => {
    const id = await plantInvoice(database, partnerId);
    const [row] = await queryIn(database, 'select number from kelpie.invoices where id = $1', [id]);
    return `KP-${String(row?.['number']).padStart(6, '0')}`;
  };
  const [number, other] = [await numberOf(billed.partnerId), await numberOf(voided.partnerId)];
  const today = dayOf(systemClock.now());
  const file = path.join(folder, 'transfers.csv');
  writeFileSync(file, `date,amount,reference,transfer_id\r\n${today},14.00,Invoice ${number},FP-1\r\n`);
  return {
    database,
    ends: { 'invoices match': findings, doctor: findings },
    words: {
      'transfers-2026-12-03.csv': file,
      'KP-000012': number,
      'KP-000013': other,
      '54.40': '1.00',
      '2026-12-03': today,
    },
  };
};

const brokenAudit: Prepare = async ({ stage }) => {
  const database = await createTestDatabase();
  const anchor = async (): Promise<string> => {
    const { said } = await runAs(stage, ['audit', 'verify'], { database });
    return /Last entry: (\d+:[0-9a-f]{64})/.exec(said)?.[1] ?? '';
  };
  const good = await anchor();
  await asAdmin(database.operatorUrl, async (admin) =>
    admin.query(
      `select kelpie.append_audit(h.seq + 1, now(), session_user, 'partner.limit', 'x', '{}', h.mac, sha256('a'), sha256('b'), null)
       from kelpie.lock_audit_head(null) h`,
    ),
  );
  return {
    database,
    ends: { 'audit verify': [1] },
    words: {
      '5:65cb…': good,
      '3:ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb': await anchor(),
    },
  };
};

/** A database without a row of the audit log, as a new one is. */
const emptyDatabase: Prepare = async () => {
  const database = await createTestDatabase();
  await asAdmin(database.superuserUrl, async (admin) => {
    await admin.query('set session_replication_role = replica');
    await admin.query('delete from kelpie.audit_log');
    await admin.query(`update kelpie.audit_head set seq = 0, mac = decode(repeat('00', 32), 'hex'), head_mac = null`);
  });
  return { database, ends: { doctor: findings } };
};

/** Someone is signed in there, and a key pays. */
const attackedPartner: Prepare = async ({ stage }) => {
  const partner = await stage.addPartner();
  await signIn(stage.database, partner, { url: stage.api.url });
  return {
    words: { acme: slugOf(partner) },
    ids: { 'api-keys revoke': partner.keyId },
  };
};

/** The first operator's proposal is still open. */
const rogueOperator: Prepare = async ({ stage }) => {
  const database = await createTestDatabase();
  await runAs(stage, ['reconcile', 'run', '--json'], { database });
  const [partner] = await createPartners(database, 1, 'live');
  if (partner === undefined) throw new Error('no partner');
  const close = ['partners', 'close', slugOf(partner), '--reason', 'a rehearsal', '--json'];
  const proposed = await runAs(stage, close, { database });
  return {
    database,
    ids: { 'approvals reject': textAt(proposed.data(), 'id') },
    // The bank knows no wallet of a partner in a database of its own.
    ends: { 'reconcile run': findings },
  };
};

/** The bank has a payment that we did not order. */
const stolenBankKey: Prepare = async ({ stage }) => {
  const partner = await stage.addPartner();
  await stage.bank.control(`/wallets/${partner.walletId}/stray-transfer`);
  // Only what was final for a while is compared.
  await stage.moveTime(60 * 60_000);
  const ids = { 'rails resume': '' };
  return {
    ids,
    ends: { 'reconcile run': [1], doctor: findings },
    before: {
      async 'rails resume'() {
        const [row] = await stage.query(`select id from kelpie.payment_blocks where rail = 'provider_production'`);
        ids['rails resume'] = row?.['id'] ?? '';
      },
    },
  };
};

const deposits: Prepare = async () => {
  const database = await createTestDatabase();
  const [partner] = await createPartners(database, 1, 'live');
  if (partner === undefined) throw new Error('no partner');
  await asAdmin(database.superuserUrl, async (admin) => seedDeposit(admin, partner));
  const [row] = await queryIn(database, 'select id from kelpie.deposits');
  return { database, ids: { 'deposits show': row?.['id'] ?? '' } };
};

const blockedRail: Prepare = async ({ stage }) => {
  const pause = ['rails', 'pause', '--rail', 'provider_production', '--reason', 'a rehearsal', '--json'];
  const paused = await runAs(stage, pause, {});
  const partner = await stage.addPartner();
  return {
    ids: {
      'payouts show': await newestPayout(stage),
      'rails resume': textAt(paused.data(), 'id'),
    },
    words: { acme: slugOf(partner) },
    after: async () => stage.query('delete from kelpie.payment_blocks'),
  };
};

const drill: Prepare = async ({ stage, repository, folder }) => {
  await payOnce(stage);
  await repository.takeBackup('full');
  await repository.archiveWal();
  return {
    words: { '/etc/pgbackrest/pgbackrest.conf': repository.configFile },
    added: { 'recovery drill': ['--directory', folder] },
    ends: { 'recovery drill': findings },
  };
};

/** The bank's wallet has a cent more than our books. */
const walletDiffers: Prepare = async ({ stage }) => {
  await stage.settle();
  // Only what was final for a while is compared.
  await stage.moveTime(60 * 60_000);
  await stage.bank.control(`/wallets/${stage.partner.walletId}/adjust`, { micro_usdc: 10_000 });
  await runAs(stage, ['reconcile', 'run', '--json'], {});
  const [found] = await stage.query(
    `select id, seen::text from kelpie.cases
     where kind = 'wallet_balance' and closed_at is null and partner_id = '${stage.partner.partnerId}'`,
  );
  const id = found?.['id'] ?? '';
  return {
    ids: { 'cases show': id, 'cases correct': id, 'cases close': id },
    ends: { 'reconcile run': findings },
  };
};

const givenUpJob =
  (queue: string): Prepare =>
  async ({ stage }) => {
    const id = await plantFailedJob(stage, queue);
    return { ids: { 'jobs show': id, 'jobs retry': id }, env: { KELPIE_OWNER_DATABASE_URL: stage.database.ownerUrl } };
  };

/** Pages that are not here need nothing. */
export const situations: Readonly<Record<string, Prepare>> = {
  'audit-log-broken': brokenAudit,
  'backup-drill': drill,
  'bank-credentials-stolen': stolenBankKey,
  'bank-bill': async ({ stage }) => {
    const id = await payOnce(stage);
    return {
      words: { acme: slugOf(stage.partner) },
      ids: { 'exceptions recall': id, 'exceptions trace': id },
    };
  },
  'close-an-account': async ({ stage }) => {
    const create = ['partners', 'create', '--slug', 'leaving', '--name', 'Leaving', '--json'];
    await runAs(stage, create, {});
    return { words: { acme: 'leaving' } };
  },
  'collect-invoices': invoices,
  'daily-checks': invoices,
  deploy: async ({ stage }) => ({ env: { KELPIE_OWNER_DATABASE_URL: stage.database.ownerUrl } }),
  'deposit-needs-attention': deposits,
  'invoices-missing': async () => ({ words: { '2026-11': '2026-10' } }),
  'job-given-up': givenUpJob('send-mail'),
  'ledger-difference': async ({ folder }) => ({
    env: { KELPIE_ARCHIVE: `file://${folder}`, KELPIE_LEDGER_KEY: 'e5'.repeat(32) },
  }),
  'leaked-key': async (staging) => {
    const id = await payOnce(staging.stage);
    const situation = await attackedPartner(staging);
    return { ...situation, ids: { ...situation.ids, 'payouts show': id } };
  },
  'months-missing': givenUpJob('month-partitions'),
  'new-installation': emptyDatabase,
  'payout-not-received': async ({ stage }) => {
    const id = await payOnce(stage);
    return { ids: { 'payouts show': id, 'payouts refresh': id } };
  },
  'payout-stuck': payoutStuck,
  'process-in-trouble': async ({ stage }) => ({ env: { KELPIE_OWNER_DATABASE_URL: stage.database.ownerUrl } }),
  'rail-paused': blockedRail,
  'reconciliation-difference': walletDiffers,
  restore: async ({ stage }) => ({
    ids: { 'payouts show': await newestPayout(stage) },
    before: { 'recovery import': async () => stage.settle() },
    ends: { 'reconcile run': findings },
  }),
  'rogue-operator': rogueOperator,
  'row-tampered': attackedPartner,
  'stolen-session': attackedPartner,
  'stop-a-partner': attackedPartner,
  'wallet-running-low': async ({ stage }) => ({ words: { acme: slugOf(stage.partner) } }),
};

/** The proposal that a command made, if it made one. */
export function proposalIn(data: unknown): string | null {
  const [id, subject] = [valueAt(data, 'id'), valueAt(data, 'subject')];
  return typeof id === 'string' && typeof subject === 'string' && valueAt(data, 'action') !== undefined ? id : null;
}
