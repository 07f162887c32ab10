import { after } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createBridgeBank, createHttpAgent } from '../../src/banks/index.ts';
import { runReconciliation, type ReconciliationDeps, type RunReport } from '../../src/reconciliation/index.ts';
import { clockShiftedByFile } from '../../src/platform/clock.ts';
import { noFailpoint } from '../../src/platform/failpoint.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { createSingleCalls } from '../../src/platform/database/single-call.ts';
import type { PartnerContext } from '../../src/platform/database/transaction.ts';
import { createEncryptor } from '../../src/platform/encryption.ts';
import { createLogger } from '../../src/platform/logging.ts';
import type { FundingWorld } from '../funding/topping-up.ts';
import { passTime } from '../harness/clock.ts';
import type { TestDatabase } from '../harness/database.ts';
import { testSecrets } from '../harness/secrets.ts';

const minuteMs = 60_000;
const [, dataKey = ''] = testSecrets.KELPIE_DATA_KEYS.split(':');

/** After this, whatever was final before is compared. */
export async function passCutOff(world: Pick<FundingWorld, 'clock' | 'bank'>): Promise<void> {
  await passTime(world, 25 * minuteMs);
}

type SandboxBankOfRun = NonNullable<ReconciliationDeps['banks']['provider_sandbox']>;

interface RunOptions {
  everything?: true;
  dryRun?: true;
  from?: Date;
  /** The bank as this one run sees it. */
  seenThrough?: (bank: SandboxBankOfRun) => SandboxBankOfRun;
}

/** Of one partner, so that tests leave each other alone; null for all. */
export type Reconcile = (partnerEnvironment: PartnerContext | null, options?: RunOptions) => Promise<RunReport>;

/** Runs on the world's own database and bank, in this process. */
export function openReconciling({ database, bank, clock: { file } }: FundingWorld): Reconcile {
  const logger = createLogger('test', 'silent');
  const pool = openPool({ url: database.serviceUrl, connections: 4, applicationName: 'reconciling', logger });
  const agent = createHttpAgent();
  after(async () => {
    await pool.end();
    await agent.close();
  });
  const real = createBridgeBank(agent, { url: bank.wireUrl, apiKey: bank.apiKey });
  const deps = {
    pool,
    calls: createSingleCalls(pool, noFailpoint),
    clock: clockShiftedByFile(file),
    logger,
    encryptor: createEncryptor(new Map([[1, Buffer.from(dataKey, 'hex')]])),
    pause: async () => setTimeout(50),
  };
  return async (partnerEnvironment, { everything, dryRun, from, seenThrough } = {}) =>
    runReconciliation(
      { ...deps, banks: { provider_sandbox: seenThrough?.(real) ?? real, provider_production: null } },
      {
        askedBy: 'test',
        ...(partnerEnvironment === null ? {} : { partnerId: partnerEnvironment.partnerId }),
        ...(everything === undefined ? {} : { from: null }),
        ...(from === undefined ? {} : { from }),
        ...(dryRun === undefined ? {} : { dryRun }),
      },
    );
}

export interface CaseFacts {
  id: string;
  kind: string;
  subject: string;
  related: string | null;
  difference: string | null;
  seen: number;
  state: string;
  steps: string[];
}

/** Differences of a partner's, by kind. */
export async function listCasesOf(
  { superuserUrl }: Pick<TestDatabase, 'superuserUrl'>,
  { partnerId }: PartnerContext,
): Promise<CaseFacts[]> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<CaseFacts>(
      `select c.id, c.kind, c.subject, c.related_id as related, c.difference_micro_usdc::text as difference, c.seen::int,
         case when c.closed_at is not null then 'closed' when c.gone_at is not null then 'gone' else 'open' end as state,
         array(select h.what from kelpie.case_history h where h.case_id = c.id order by h.number) as steps
       from kelpie.cases c where c.partner_id = $1 and c.subject is not null order by c.kind, c.id`,
      [partnerId],
    );
    return rows;
  });
}

/** By the bank's ids, the oldest first. */
export async function listPaymentsOf(
  { superuserUrl }: Pick<TestDatabase, 'superuserUrl'>,
  { partnerId }: PartnerContext,
): Promise<{ id: string; paymentId: string; took: bigint; state: string }[]> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<{ id: string; payment: string; took: string; state: string }>(
      `select id, bank_payment_id as payment, bank_debited_micro_usdc as took, state::text from kelpie.payouts
       where partner_id = $1 and bank_payment_id is not null order by id`,
      [partnerId],
    );
    return rows.map((row) => ({ id: row.id, paymentId: row.payment, took: BigInt(row.took), state: row.state }));
  });
}
