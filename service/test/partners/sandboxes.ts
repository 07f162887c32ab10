import { randomBytes } from 'node:crypto';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { runCommand } from '../harness/command.ts';
import type { TestDatabase } from '../harness/database.ts';
import { testSecrets } from '../harness/secrets.ts';

/** A partner as an operator makes one. */
export interface NewSandbox {
  partnerId: string;
  slug: string;
  key: string;
}

export async function createByCommand(
  { serviceUrl, operatorUrl }: Pick<TestDatabase, 'serviceUrl' | 'operatorUrl'>,
  env: Readonly<Record<string, string>> = {},
): Promise<NewSandbox> {
  const slug = `acme-${randomBytes(4).toString('hex')}`;
  const { code, output } = await runCommand({
    args: ['partners', 'create', '--slug', slug, '--name', 'Acme & Söhne', '--json'],
    env: {
      KELPIE_MODE: 'development',
      KELPIE_DATABASE_URL: serviceUrl,
      KELPIE_OPERATOR_DATABASE_URL: operatorUrl,
      ...testSecrets,
      ...env,
    },
  });
  if (code !== 0) throw new Error(output);
  const made: unknown = JSON.parse(output);
  return { partnerId: textAt(made, 'data.id'), slug, key: textAt(made, 'data.key') };
}

type Superuser = Pick<TestDatabase, 'superuserUrl'>;

export async function railOf({ superuserUrl }: Superuser, partnerId: string): Promise<string> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<{ rail: string }>(
      `select rail::text from kelpie.partner_environments where partner_id = $1 and environment = 'sandbox'`,
      [partnerId],
    );
    return rows[0]?.rail ?? 'none';
  });
}

export async function untilConnected(database: Superuser, partnerId: string, timeoutMs: number): Promise<void> {
  const look = async (): Promise<boolean> => (await railOf(database, partnerId)) === 'provider_sandbox';
  await eventually('the sandbox is connected', look, timeoutMs);
}

/** Why the wallet ever changed, but for payouts, in order, with how much. */
export async function floatsOf({ superuserUrl }: Superuser, partnerId: string): Promise<string[]> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<{ what: string }>(
      `select reason || ' ' || -amount as what from kelpie.ledger_entries
       where partner_id = $1 and account = 'wallet' and starts_with(reason, 'sandbox.') order by wallet_version`,
      [partnerId],
    );
    return rows.map(({ what }) => what);
  });
}

export async function balanceOf({ superuserUrl }: Superuser, partnerId: string): Promise<bigint> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<{ balance: string }>(
      'select balance_micro_usdc as balance from kelpie.wallets where partner_id = $1',
      [partnerId],
    );
    return BigInt(rows[0]?.balance ?? -1);
  });
}

/** On which rail each of its payouts was made, the oldest first. */
export async function railsOfPayouts({ superuserUrl }: Superuser, partnerId: string): Promise<string[]> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<{ rail: string }>(
      'select rail::text from kelpie.payouts where partner_id = $1 order by id',
      [partnerId],
    );
    return rows.map(({ rail }) => rail);
  });
}
