import assert from 'node:assert/strict';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createPayout, getPayout, payoutBody, type Client } from '../harness/client.ts';
import type { TestPartner } from '../harness/partners.ts';
import { balanceOf, type FundingWorld } from './topping-up.ts';

type Round = (queue?: string) => Promise<void>;

/** USDC in micro-units. */
export const usdc = (amount: number): bigint => BigInt(Math.round(amount * 1_000_000));

/** What tests of the float ask of a world that has one, and do to it. */
export function openFloating(world: FundingWorld, round: Round) {
  const { bank, database } = world;
  const sql = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
    asAdmin(database.superuserUrl, async (admin) => (await admin.query<Row>(text, values)).rows);
  const atBank = async (walletId: string): Promise<bigint> =>
    BigInt(textAt(await bank.control(`GET /wallets/${walletId}`), 'balance_micro_usdc'));
  const countOpen = async (): Promise<{ moves: number; jobs: number }> => {
    const [row] = await sql<{ moves: number; jobs: number }>(
      `select (select count(*)::int from kelpie.float_moves where state = 'open') as moves,
         (select count(*)::int from pgboss.job where name = 'balance-floats' and state in ('created', 'active', 'retry')) as jobs`,
    );
    if (row === undefined) throw new Error('a count has a row');
    return row;
  };
  return {
    sql,
    atBank,
    holdsOfFloat: async (): Promise<bigint> => atBank(world.float?.walletId ?? ''),
    /** By how much the bank holds more for the partner than the partner has. */
    cushionOf: async (partner: TestPartner): Promise<bigint> =>
      (await atBank(partner.walletId)) - (await balanceOf(database, partner)),
    movesOf: async ({ partnerId }: TestPartner): Promise<string[]> => {
      const rows = await sql<{ what: string }>(
        `select kind || ' ' || state || ' ' || amount_micro_usdc as what from kelpie.float_moves
         where partner_id = $1 order by id`,
        [partnerId],
      );
      return rows.map(({ what }) => what);
    },
    /** The job comes round until every move is at its end. */
    balanced: async (): Promise<void> => {
      await round('balance-floats');
      const look = async (): Promise<boolean> => {
        const open = await countOpen();
        if (open.moves > 0 && open.jobs === 0) await round('balance-floats');
        return open.moves === 0 && open.jobs === 0;
      };
      await eventually('no move is open', look, 60_000);
    },
    /** The bank debits so much more for a payout, which arrives. */
    payAt: async (client: Client, amountGbp: string, moreMicroUsdc: bigint): Promise<string> => {
      const fault = { on: 'transfer.create', kind: 'take_different', micro_usdc: Number(moreMicroUsdc), times: 1 };
      await bank.control('/faults', fault);
      const made = await createPayout(client, payoutBody({ amount_gbp: amountGbp }));
      assert.equal(made.status, 201, made.text);
      await eventually('it arrives', async () => (await getPayout(client, made.id)).payout === 'completed', 20_000);
      return made.id;
    },
    newPartner: async (): Promise<{ partner: TestPartner; client: Client }> => {
      const partner = await world.addPartner();
      return { partner, client: { url: world.api.url, key: partner.key } };
    },
  };
}
