import { PaymentRefused, recordPayment, voidInvoice } from '../../src/billing/index.ts';
import { closePartner } from '../../src/partners/index.ts';
import { createAuditChain } from '../../src/platform/audit/chain.ts';
import { insertProposal } from '../../src/platform/audit/proposal-store.ts';
import { vouching } from '../../src/platform/audit/vouching.ts';
import { writeAct } from '../../src/platform/audit/write-act.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { openPool, type Pool } from '../../src/platform/database/pool.ts';
import { inTransaction, type Transaction } from '../../src/platform/database/transaction.ts';
import { newId } from '../../src/platform/ids.ts';
import type { JobSender } from '../../src/platform/jobs/jobs.ts';
import { dayOf } from '../../src/platform/london-day.ts';
import { createLogger } from '../../src/platform/logging.ts';
import type { TestDatabase } from '../harness/database.ts';
import { testSecrets } from '../harness/secrets.ts';

interface Deps {
  database: TestDatabase;
  clock: Clock;
  jobs: Pick<JobSender, 'enqueue'>;
}

interface PaidInvoice {
  invoiceId: string;
  partnerId: string;
  amount: bigint;
  bankReference: string;
  mustSettle?: boolean;
}

/** An act was proposed, and the database did not do it. Its transaction is rolled back, as the command does. */
class NotDone extends Error {
  override readonly name = 'NotDone';
}

/** Ada and Grace, who collect invoices and close accounts as the command does, without a process for each act. */
export function openOperators({ database, clock, jobs }: Deps) {
  const logger = createLogger('test', 'silent');
  const open = (url: string): Pool =>
    openPool({ url, connections: 6, applicationName: 'test-operators', logger, pace: 'unhurried' });
  const pools = {
    service: open(database.serviceUrl),
    ada: open(database.operatorUrl),
    grace: open(database.secondOperatorUrl),
  };
  const chain = createAuditChain(Buffer.from(testSecrets.KELPIE_AUDIT_KEY, 'hex'));

  async function actAs<Done>(
    person: 'ada' | 'grace',
    { action, subject }: { action: string; subject: string },
    work: (tx: Transaction) => Promise<Done>,
  ): Promise<Done> {
    return inTransaction(pools[person], 'shared', async (tx) => {
      const act = { operator: `${person}@kelpie.example`, action, subject, detail: {} };
      await writeAct(tx, { chain, clock, voucher: null }, act);
      return work(tx);
    });
  }

  async function propose(action: string, subject: string): Promise<string> {
    const id = newId(clock);
    await actAs('ada', { action: 'proposal.create', subject: id }, async (tx) =>
      insertProposal(tx, { id, action, subject, revision: null, detail: { reason: 'a test' } }, clock.now()),
    );
    return id;
  }

  /** Says what became of it: `done`, or why it was not. */
  async function approve(
    action: string,
    subject: string,
    work: (tx: Transaction, proposalId: string) => Promise<string>,
  ): Promise<string> {
    const proposalId = await propose(action, subject);
    return actAs('grace', { action, subject }, async (tx) => {
      const outcome = await work(tx, proposalId);
      if (outcome !== 'void' && outcome !== 'closed') throw new NotDone(outcome);
      return outcome;
    }).catch((error: unknown) => {
      if (error instanceof NotDone) return error.message;
      throw error;
    });
  }

  return {
    /** Says `paid`, `part_paid`, or why it was not recorded. */
    async pay({ mustSettle = false, ...payment }: PaidInvoice): Promise<string> {
      const { invoiceId: subject } = payment;
      return vouching(pools.ada, async (voucher) =>
        inTransaction(pools.service, 'shared', async (tx) => {
          const act = { operator: 'ada@kelpie.example', action: 'invoice.pay', subject, detail: {} };
          await writeAct(tx, { chain, clock, voucher }, act);
          const at = clock.now();
          const left = await recordPayment(tx, jobs, { ...payment, mustSettle, at, receivedOn: dayOf(at) });
          return left === 0n ? 'paid' : 'part_paid';
        }),
      ).catch((error: unknown) => {
        if (error instanceof PaymentRefused) return error.outcome;
        throw error;
      });
    },
    /** Says `void`, or why it was not voided. */
    voidInvoice: async (invoiceId: string): Promise<string> =>
      approve('invoice.void', invoiceId, async (tx, proposalId) =>
        voidInvoice(tx, { invoiceId, proposalId, transferId: newId(clock), at: clock.now() }),
      ),
    /** Says `closed`, or why it stays open. */
    closePartner: async (partnerId: string): Promise<string> =>
      approve('partner.close', partnerId, async (tx, proposalId) =>
        closePartner(tx, partnerId, { proposalId, at: clock.now() }),
      ),
    async end(): Promise<void> {
      await Promise.all(Object.values(pools).map(async (pool) => pool.end()));
    },
  };
}
