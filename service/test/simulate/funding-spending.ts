import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { balanceOf, type FundingWorld } from '../funding/topping-up.ts';
import { createPayout, payoutBody } from '../harness/client.ts';
import { passTime } from '../harness/clock.ts';
import type { TestPartner } from '../harness/partners.ts';
import type { PlannedSpend } from './funding-plan.ts';
import type { Tally } from './tally.ts';

// What partners spend in a simulation of top-ups, so that what the bank takes back is owed; and the float that covers it.

export interface Spending {
  world: FundingWorld;
  partners: readonly TestPartner[];
  round: (queue?: string) => Promise<void>;
  tally: Tally;
}

const withinMs = 90_000;
/** Less than this is not worth a payout. */
const leastMicroUsdc = 5_000_000n;
const mostPence = 2_000_000n;
/** 0.79 GBP for a USDC; the bank's share of the fee is 0.50 GBP and 0.5%. */
function penceFor(microUsdc: bigint): bigint {
  const pence = ((microUsdc * 79n) / 1_000_000n - 51n) * 1_000n;
  return pence / 1_005n < mostPence ? pence / 1_005n : mostPence;
}

async function sql<Row extends object>({ world }: Spending, text: string, values: unknown[] = []): Promise<Row[]> {
  return asAdmin(world.database.superuserUrl, async (client) => (await client.query<Row>(text, values)).rows);
}

/** Debts, a bank wallet that losses have just emptied, and another deposit that was taken back meanwhile. */
const expectedErrors = new Set(['partner_not_active', 'insufficient_funds', 'payout_not_created']);

/** What is wrong with it, in sentences. */
export async function spend(spending: Spending, planned: PlannedSpend): Promise<string[]> {
  const { world, tally } = spending;
  const partner = spending.partners[planned.partner];
  if (partner === undefined) throw new Error('a partner that is not there');
  const debit = ((await balanceOf(world.database, partner)) * BigInt(planned.percent)) / 100n;
  if (debit < leastMicroUsdc) {
    tally.add('spends_without_money');
    return [];
  }
  const pence = penceFor(debit);
  const micro = Number((debit * BigInt(planned.drift)) / 10_000n);
  const fault = { on: 'transfer.create', kind: 'take_different', micro_usdc: micro, times: 1 };
  if (micro !== 0) await world.bank.control('/faults', fault);
  const pounds = `${pence / 100n}.${String(pence % 100n).padStart(2, '0')}`;
  const client = { url: world.api.url, key: partner.key };
  const made = await createPayout(client, payoutBody({ amount_gbp: pounds }));
  if (made.status !== 201) {
    tally.add(`spends_${made.status}`);
    return expectedErrors.has(made.code) ? [] : [`a payout of ${pounds} was answered ${made.status} ${made.code}`];
  }
  tally.add(`spends_${planned.fate.replaceAll(' ', '_')}`);
  await playOut(spending, made.id, planned.fate);
  return [];
}

async function playOut(spending: Spending, id: string, fate: PlannedSpend['fate']): Promise<void> {
  const { bank } = spending.world;
  const paymentId = await eventually('the bank has it', async () => {
    const [row] = await sql<{ payment: string | null }>(
      spending,
      'select bank_payment_id as payment from kelpie.payouts where id = $1',
      [id],
    );
    return row?.payment ?? false;
  });
  // The bank may have paid it by now: then it stays paid.
  const act = async (name: string): Promise<boolean> =>
    bank.control(`/transfers/${paymentId}/${name}`, {}).then(
      () => true,
      () => false,
    );
  if (fate === 'fails' && (await act('fail'))) await act('refund');
  if (fate !== 'comes back late') return;
  const look = async (): Promise<boolean> => {
    const [row] = await sql<{ state: string }>(spending, 'select state::text from kelpie.payouts where id = $1', [id]);
    // The webhook may be lost: then it is asked for when it is due.
    if (row?.state !== 'completed') await passTime(spending.world, 5_000);
    return row?.state === 'completed';
  };
  await eventually('it arrives', look, withinMs);
  await act('return');
}
