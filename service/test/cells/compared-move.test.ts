import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { Failpoint } from '../../src/platform/failpoint.ts';
import { depositToEach, type TestPartner } from '../harness/partners.ts';
import { assertGivenBack, assertMoved, cells, claim, createPartner, move } from './two-cells.ts';

/** No transaction that is under way began before its rows. */
async function createSettledPartner(): Promise<TestPartner> {
  const partner = await createPartner();
  await eventually('its rows are settled', async () =>
    asAdmin(cells.a.superuserUrl, async (client) => {
      const { rows } = await client.query<{ is_settled: boolean }>(
        `select bool_and(age(e.xmin) > age(pg_snapshot_xmin(pg_current_snapshot())::xid)) as is_settled
         from kelpie.ledger_entries e where e.partner_id = $1`,
        [partner.partnerId],
      );
      return rows[0]?.is_settled;
    }),
  );
  return partner;
}

/** In the new cell, past all of its rules: of the partner's newest or oldest transfer. */
async function plant(partner: TestPartner, sql: string, order: 'asc' | 'desc'): Promise<void> {
  await asAdmin(cells.b.superuserUrl, async (client) => {
    await client.query('set session_replication_role = replica');
    const { rowCount } = await client.query(
      `${sql} where (e.transfer_id, e.line) = (
         select o.transfer_id, o.line from kelpie.ledger_entries o where o.partner_id = $1
         order by o.transfer_id ${order}, o.line limit 1
       )`,
      [partner.partnerId],
    );
    assert.equal(rowCount, 1);
  });
}

const changeEntry = `update kelpie.ledger_entries e set reason = 'planted'`;

interface Watched {
  failpoint: Failpoint;
  reached: string[];
}

function doAt(acts: Readonly<Record<string, () => Promise<void>>>): Watched {
  const reached: string[] = [];
  return {
    reached,
    async failpoint(point) {
      reached.push(point);
      await acts[point]?.();
    },
  };
}

test('a settled row that differs ends the move before requests are held', async () => {
  const partner = await createSettledPartner();
  const { failpoint, reached } = doAt({ 'compare.begun': async () => plant(partner, changeEntry, 'asc') });
  assert.equal((await move(await claim(partner), { failpoint })).state, 'aborted');
  assert(reached.includes('compare.begun') && !reached.includes('hold.begun'), reached.join(', '));
  await assertGivenBack(partner);
});

test('a row that was added after the settled ones were compared is compared in the freeze', async () => {
  const partner = await createSettledPartner();
  const { failpoint, reached } = doAt({
    'hold.begun': async () => depositToEach(cells.a, [partner], 5_000_000n),
    'verify.begun': async () => plant(partner, changeEntry, 'desc'),
  });
  assert.equal((await move(await claim(partner), { failpoint })).state, 'aborted');
  assert(!reached.includes('switch.begun'));
  await assertGivenBack(partner);
});

test('a settled row that is gone ends the move, because all rows are counted', async () => {
  const partner = await createSettledPartner();
  const { failpoint, reached } = doAt({
    'verify.begun': async () => plant(partner, 'delete from kelpie.ledger_entries e', 'asc'),
  });
  assert.equal((await move(await claim(partner), { failpoint })).state, 'aborted');
  assert(!reached.includes('switch.begun'));
  await assertGivenBack(partner);
});

test('a partner that is paid between the comparisons is moved', async () => {
  const partner = await createSettledPartner();
  const pay = async (): Promise<void> => depositToEach(cells.a, [partner], 5_000_000n);
  const { failpoint } = doAt({ 'compare.begun': pay, 'hold.begun': pay });
  assert.equal((await move(await claim(partner), { failpoint })).state, 'done');
  await assertMoved(partner);
});
