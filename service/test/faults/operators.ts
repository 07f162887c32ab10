import { setTimeout as wait } from 'node:timers/promises';
import { textAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { asSecondPerson, kelpieAdmin } from '../app/commands/kelpie-admin.ts';
import type { TestDatabase } from '../harness/database.ts';
import type { TestPartner } from '../harness/partners.ts';
import { createLane } from '../simulate/lane.ts';
import type { Tally } from '../simulate/tally.ts';

/** Two operators who stop a partner's payments and let them go on. Their commands fail while there is no database. */
export interface Operators {
  /** Does nothing while they still have something to do. */
  blockForAMoment(partner: TestPartner, how: 'suspend' | 'pause'): void;
  /** Lifts every block. Throws if one is left after many tries. */
  finish(): Promise<void>;
}

const blockedForMs = 1_500;
const triesEachPauseMs = 1_000;
/** Longer than any outage of a fault. */
const mostTriesToLift = 300;
const because = ['--reason', 'a fault test', '--json'];

interface Block {
  id: string;
  cause: string;
  partner_id: string;
}

async function listBlocks({ superuserUrl }: TestDatabase): Promise<Block[]> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<Block>(
      `select id, cause, partner_id from kelpie.payment_blocks
       where cause in ('suspended', 'partner_paused') order by since, id`,
    );
    return rows;
  });
}

/** One proposes and the other approves. Whether it is done. */
async function actByTwo(database: TestDatabase, args: readonly string[]): Promise<boolean> {
  const proposed = await kelpieAdmin(database, [...args, ...because]);
  if (proposed.code !== 0) return false;
  const approval = ['approvals', 'approve', textAt(proposed.data(), 'id'), '--json'];
  return (await kelpieAdmin(database, approval, asSecondPerson(database))).code === 0;
}

async function liftAll(database: TestDatabase, tally: Tally): Promise<void> {
  let left: Block[] = [];
  for (let tries = 0; tries < mostTriesToLift; tries += 1) {
    try {
      left = await listBlocks(database);
      if (left.length === 0) return;
      for (const { id, cause, partner_id: partner } of left) {
        const args = cause === 'suspended' ? ['partners', 'activate', partner] : ['rails', 'resume', id];
        tally.add((await actByTwo(database, args)) ? 'operator_lifts' : 'operator_acts_failed');
      }
    } catch {
      // No database at the moment.
      tally.add('operator_acts_failed');
    }
    await wait(triesEachPauseMs);
  }
  throw new Error(`blocks that could not be lifted: ${JSON.stringify(left)}`);
}

export function createOperators({ database, tally }: { database: TestDatabase; tally: Tally }): Operators {
  const lane = createLane();
  return {
    blockForAMoment({ partnerId }, how) {
      if (lane.isBusy()) return;
      const args = how === 'suspend' ? ['partners', 'suspend', partnerId] : ['rails', 'pause', '--partner', partnerId];
      lane.add(async () => {
        const { code } = await kelpieAdmin(database, [...args, ...because]);
        tally.add(code === 0 ? 'operator_blocks' : 'operator_acts_failed');
        await wait(blockedForMs);
        await liftAll(database, tally);
      });
    },
    async finish() {
      await lane.finish();
      await liftAll(database, tally);
    },
  };
}
