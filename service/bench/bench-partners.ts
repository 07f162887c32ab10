import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createPepper, newSecret } from '../src/access/secrets.ts';
import { systemClock } from '../src/platform/clock.ts';
import type { TestDatabase } from '../test/harness/database.ts';
import { sealPlantedRows } from '../test/harness/seal-planted-rows.ts';
import { testSecrets } from '../test/harness/secrets.ts';
import { depositForAll } from './deposits.ts';
import { numberIds, type NumberedIds } from './numbered-ids.ts';

/** Partners on the simulated rail, each with a key and with more money than any run can spend. */
export interface BenchPartners {
  count: number;
  ids: NumberedIds;
  keyIds: NumberedIds;
  /** By the numbers of their partners, as are the secrets. */
  keyPrefixes: readonly string[];
  secrets: readonly string[];
}

const balanceMicroUsdc = 1_000_000_000_000_000n;

const partnersSql = `
  with made as (
    insert into kelpie.partners (id, slug, name, status, created_at)
    select id, 'bench-' || right(id::text, 12), 'Bench', 'active', now() from unnest($1::uuid[]) as id returning id
  ), environments as (
    insert into kelpie.partner_environments (partner_id, environment, created_at)
    select id, 'sandbox', now() from made returning partner_id, environment
  )
  insert into kelpie.wallets (partner_id, environment) select partner_id, environment from environments`;

const keysSql = `
  insert into kelpie.api_keys (id, partner_id, environment, key_prefix, secret_hmac, created_at)
  select id, partner_id, 'sandbox', key_prefix, secret_hmac, now()
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[]) as key (id, partner_id, key_prefix, secret_hmac)`;

export async function createBenchPartners(database: TestDatabase, count: number): Promise<BenchPartners> {
  const now = new Date();
  const ids = numberIds(now, 0);
  const keyIds = numberIds(now, 1);
  const numbers = Array.from({ length: count }, (_, number) => number);
  const partnerIds = numbers.map((number) => ids.at(number));
  const secrets = numbers.map(() => newSecret('sandbox'));
  const pepper = createPepper(new Map([[1, Buffer.from(testSecrets.KELPIE_API_KEY_PEPPER, 'hex')]]));
  await sealPlantedRows(database.superuserUrl, testSecrets.KELPIE_ROW_KEY);
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query(partnersSql, [partnerIds]);
    await client.query(keysSql, [
      numbers.map((number) => keyIds.at(number)),
      partnerIds,
      secrets.map(({ prefix }) => prefix),
      secrets.map(({ secret }) => pepper.digest(secret)),
    ]);
  });
  await depositForAll(database, partnerIds, balanceMicroUsdc, systemClock);
  return {
    count,
    ids,
    keyIds,
    keyPrefixes: secrets.map(({ prefix }) => prefix),
    secrets: secrets.map(({ secret }) => secret),
  };
}
