import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { TestDatabase } from '../harness/database.ts';
import type { TestPartner } from '../harness/partners.ts';

/** A partner with what its wallet held at first, in micro-units. */
export interface FundedPartner extends TestPartner {
  deposit: bigint;
  slug: string;
}

interface Made {
  partner: number;
  sent: bigint;
  isGivenBack: boolean;
}

/** What the answers say that there is, so that what a refused request changed would be seen. */
export interface Model {
  /** Takes in an answer that is no refusal. */
  learn(partner: number, status: number, json: unknown): void;
  idsOf(partner: number): readonly string[];
  made(): number;
  /** What the database says otherwise. Ask while nothing is on its way. */
  compare(): Promise<string[]>;
}

/** "1.09" in micro-units. */
function microUsdc(text: string): bigint {
  return BigInt(text.replace('.', '')) * 10_000n;
}

/** Of one partner, its columns in the order of the query. */
interface Books {
  partner_id: string;
  wallet: string;
  entered: string;
  payouts: string;
  keys: string;
  /** What its entries are caused by: its payouts and the deposit. With these counted, nothing else can hide. */
  causes: string;
}

const booksSql = `
  select w.partner_id, w.balance_micro_usdc as wallet,
    (select -sum(amount) from kelpie.ledger_entries l where l.partner_id = w.partner_id and account = 'wallet') as entered,
    (select count(*) from kelpie.payouts p where p.partner_id = w.partner_id) as payouts,
    (select count(*) from kelpie.idempotency_keys k where k.partner_id = w.partner_id) as keys,
    (select count(distinct cause_id) from kelpie.ledger_entries l where l.partner_id = w.partner_id) as causes
  from kelpie.wallets w where w.partner_id = any($1)`;

export function createModel(database: Pick<TestDatabase, 'superuserUrl'>, partners: readonly FundedPartner[]): Model {
  const payouts = new Map<string, Made>();
  const ids: string[][] = partners.map(() => []);
  const expected = ({ partnerId, deposit }: FundedPartner, number: number): Books => {
    const own = (ids[number] ?? []).flatMap((id) => payouts.get(id) ?? []);
    const spent = own.reduce((sum, { sent, isGivenBack }) => (isGivenBack ? sum : sum + sent), 0n);
    const wallet = String(deposit - spent);
    const count = String(own.length);
    const causes = String(own.length + 1);
    return { partner_id: partnerId, wallet, entered: wallet, payouts: count, keys: count, causes };
  };
  return {
    idsOf: (partner) => ids[partner] ?? [],
    made: () => payouts.size,
    learn(partner, status, json) {
      if (valueAt(json, 'object') !== 'payout') return;
      const id = textAt(json, 'id');
      const isGivenBack = ['failed', 'cancelled'].includes(textAt(json, 'status'));
      const known = payouts.get(id);
      if (status === 201 && known === undefined) {
        payouts.set(id, { partner, sent: microUsdc(textAt(json, 'wallet_sent_usdc')), isGivenBack });
        ids[partner]?.push(id);
      } else if (isGivenBack && known !== undefined) known.isGivenBack = true;
    },
    async compare() {
      const all = partners.map(({ partnerId }) => partnerId);
      const { rows } = await asAdmin(database.superuserUrl, async (client) => client.query<Books>(booksSql, [all]));
      const found = new Map(rows.map((row) => [row.partner_id, JSON.stringify(row)]));
      return partners.map(expected).flatMap((books) => {
        const [is, shall] = [found.get(books.partner_id), JSON.stringify(books)];
        return is === shall ? [] : [`the books say ${is}, and the answers ${shall}`];
      });
    },
  };
}
