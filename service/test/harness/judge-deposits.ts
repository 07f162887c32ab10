import type { SandboxBank } from '@kelpie/sandbox-bank/test/harness.ts';
import type { Client } from 'pg';

interface DepositFacts {
  id: string;
  bank_deposit_id: string;
  state: string;
  net: string | null;
  reversed: string | null;
  revision: number;
  /** What the ledger put to the bank's wallet for it, and took from there. */
  credits: string[];
  reversals: string[];
  numbers: number[];
  notes: number;
}

const factsSql = `
  select d.id, d.bank_deposit_id, d.state, d.net_micro_usdc as net, d.reversed_micro_usdc as reversed, d.revision,
    array(
      select l.amount::text from kelpie.ledger_entries l
      where l.cause_id = d.id and l.account = 'bank_wallet' and l.amount > 0
    ) as credits,
    array(
      select (-l.amount)::text from kelpie.ledger_entries l
      where l.cause_id = d.id and l.account = 'bank_wallet' and l.amount < 0
    ) as reversals,
    array(select h.number from kelpie.deposit_history h where h.deposit_id = d.id order by h.number) as numbers,
    (
      select count(*)::int from kelpie.activity a
      where a.partner_id = d.partner_id and a.detail = d.id::text and a.action = 'deposit.credit'
    ) as notes
  from kelpie.deposits d`;

interface AtBank {
  credited: string[];
  reversed: string[];
}

function judgeMoney({ id, credits, reversals }: DepositFacts, { credited, reversed }: AtBank): string[] {
  const found: string[] = [];
  if (credits.join() !== credited.join())
    found.push(`I8 deposit ${id} is credited with ${credits.join()}, and the bank brought ${credited.join()}`);
  if (reversals.join() !== reversed.join())
    found.push(`I8 deposit ${id} is reversed by ${reversals.join()}, and the bank took ${reversed.join()}`);
  return found;
}

function statesAfter({ credited, reversed }: AtBank): string[] {
  if (reversed.length > 0) return ['reversed'];
  return credited.length > 0 ? ['credited'] : ['pending', 'refunded'];
}

function judgeOne(facts: DepositFacts, atBank: AtBank): string[] {
  const { id, state, numbers, revision, notes } = facts;
  const found = judgeMoney(facts, atBank);
  const expected = statesAfter(atBank);
  if (!expected.includes(state)) found.push(`I6 deposit ${id} is ${state}, not ${expected.join(' or ')}`);
  if (numbers.length !== revision || numbers.some((number, at) => number !== at + 1))
    found.push(`I7 deposit ${id} has ${revision} changes, and history ${numbers.join(' ')}`);
  if (notes !== atBank.credited.length) found.push(`I7 deposit ${id} is noted ${notes} times`);
  return found;
}

/**
 * Every deposit of the bank's is credited once, with what it truly brought, and taken back once where it took it; and there
 * is none of ours that the bank does not have. Ask once all is quiet.
 */
export async function judgeDeposits(client: Client, bank: SandboxBank): Promise<string[]> {
  const { credits, reversals } = await bank.record();
  const credited = Map.groupBy(credits, ({ deposit_id: id }) => id);
  const reversed = Map.groupBy(reversals, ({ deposit_id: id }) => id);
  const { rows } = await client.query<DepositFacts>(factsSql);
  const known = new Set(rows.map((row) => row.bank_deposit_id));
  const amounts = (records: typeof credits | undefined): string[] =>
    (records ?? []).map((record) => record.micro_usdc.toString());
  return [
    ...credits
      .filter(({ deposit_id: id }) => !known.has(id))
      .map(({ deposit_id: id }) => `I8 the bank brought ${id}, and no deposit of ours says so`),
    ...rows.flatMap((row) =>
      judgeOne(row, {
        credited: amounts(credited.get(row.bank_deposit_id)),
        reversed: amounts(reversed.get(row.bank_deposit_id)),
      }),
    ),
  ];
}
