// What an operator changes by hand about what a partner is charged.
import { chargeException, hasPayout } from '../billing/index.ts';
import { formatPounds, parsePounds } from '../money/amounts.ts';
import { changePricePlan } from '../partners/index.ts';
import type { Clock } from '../platform/clock.ts';
import { openPool, type Pool } from '../platform/database/pool.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import type { Logger } from '../platform/logging.ts';
import { OperatorError } from '../platform/operator-error.ts';
import { lookUpPartner } from './look-up-partner.ts';

interface Parts {
  serviceUrl: string;
  readerUrl: string;
  clock: Clock;
  logger: Logger;
}

async function withService<Result>(
  { serviceUrl, logger }: Parts,
  work: (pool: Pool) => Promise<Result>,
): Promise<Result> {
  const pool = openPool({ url: serviceUrl, connections: 1, applicationName: 'kelpie-cli', logger });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error ? Reflect.get(error, 'code') : undefined;
}

const foreignKeyViolation = '23503';

/** From now on; what was made before keeps its plan. */
export async function givePricePlan(
  parts: Parts,
  { slug, plan, by }: { slug: string; plan: string; by: string },
): Promise<string> {
  const partnerId = await lookUpPartner(parts.readerUrl, parts.logger, slug);
  const change = { at: parts.clock.now(), plan, by };
  try {
    const isNew = await withService(parts, async (pool) =>
      inTransaction(pool, { partnerId, environment: 'live' }, async (tx) => changePricePlan(tx, change)),
    );
    return isNew ? `${slug} has the plan ${plan} from now on.\n` : `${slug} has the plan ${plan} already.\n`;
  } catch (error) {
    if (codeOf(error) === foreignKeyViolation) throw new OperatorError(`There is no price plan ${plan}.`);
    if (codeOf(error) === 'P0002') throw new OperatorError(`${slug} has no live side, and is charged nothing.`);
    throw error;
  }
}

const longestReference = 100;
const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export interface BilledException {
  slug: string;
  payout: string;
  cost: string;
  bankReference: string;
  by: string;
}

/** What the bank billed us for. The same reference is charged once, however often this is run. */
export async function chargeBankException(parts: Parts, billed: BilledException): Promise<string> {
  const cost = parsePounds(billed.cost);
  if (cost === undefined || cost === 0n) throw new OperatorError('--cost takes pounds and pence, as 12.50.');
  if (billed.bankReference === '' || billed.bankReference.length > longestReference)
    throw new OperatorError('--bank-reference takes 1 to 100 characters.');
  if (!uuidForm.test(billed.payout)) throw new OperatorError('--payout takes the id of a payout.');
  const partnerId = await lookUpPartner(parts.readerUrl, parts.logger, billed.slug);
  const { payout: payoutId, bankReference, by } = billed;
  const charged = await withService(parts, async (pool) =>
    inTransaction(pool, { partnerId, environment: 'live' }, async (tx) => {
      if (!(await hasPayout(tx, payoutId))) throw new OperatorError(`${billed.slug} has no live payout ${payoutId}.`);
      return chargeException(tx, { partnerId, payoutId, bankReference, cost, at: parts.clock.now(), by });
    }),
  );
  if (charged === null) return `${bankReference} was charged before: nothing is charged again.\n`;
  return `Charged ${formatPounds(charged)} GBP to ${billed.slug} for payout ${payoutId}.\n`;
}
