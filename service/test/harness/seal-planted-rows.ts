import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { Client } from 'pg';
import { rowKeyOf } from '../../src/platform/row-mac.ts';
import { testSecrets } from './secrets.ts';

/** What the MAC of a table's rows is over, in the order of the service's (service/src/access/sealed-rows.ts). */
const deciding: Readonly<Record<string, readonly string[]>> = {
  api_keys: [
    'new.id::text',
    'new.partner_id::text',
    'new.environment::text',
    'new.key_prefix',
    `encode(new.secret_hmac, 'hex')`,
    'new.previous_prefix',
    `encode(new.previous_secret_hmac, 'hex')`,
    'planted.instant(new.previous_expires_at)',
    'new.scope',
    `array_to_string(new.networks, ',')`,
    'planted.instant(new.expires_at)',
    'new.daily_limit_pence::text',
    'planted.instant(new.full_limit_at)',
  ],
  members: ['new.partner_id::text', 'new.email', 'new.role'],
  sessions: [
    'new.id::text',
    'new.partner_id::text',
    'new.email',
    `encode(new.token_hmac, 'hex')`,
    'planted.instant(new.created_at)',
  ],
};

/** HMAC's two pads. */
function padOf(rowKey: string, byte: number): string {
  return rowKeyOf(Buffer.from(rowKey, 'hex'))
    .toString('hex')
    .padEnd(128, '0')
    .replaceAll(/../g, (pair) => (Number.parseInt(pair, 16) ^ byte).toString(16).padStart(2, '0'));
}

function sqlFor(rowKey: string): string {
  const functions = `
    create schema if not exists planted;
    create or replace function planted.instant(at timestamptz) returns text language sql immutable as
      $$ select floor(extract(epoch from at) * 1000)::bigint::text $$;
    create or replace function planted.mac(variadic parts text[]) returns bytea language sql immutable as $$
      select '\\x01'::bytea || sha256('\\x${padOf(rowKey, 0x5c)}'::bytea || sha256('\\x${padOf(rowKey, 0x36)}'::bytea
        || convert_to(string_agg(coalesce(octet_length(part) || ':' || part, '-'), ',' order by place), 'utf8')))
      from unnest(parts) with ordinality as item (part, place)
    $$;`;
  const triggers = Object.entries(deciding).map(
    ([table, columns]) => `
      create or replace function planted.seal_${table}() returns trigger language plpgsql as $$
      begin
        if (select r.rolsuper from pg_roles r where r.rolname = session_user)
          and current_setting('planted.tampers', true) is distinct from 'on' then
          new.mac := planted.mac('${table}', ${columns.join(', ')});
        end if;
        return new;
      end $$;
      create or replace trigger zz_planted before insert or update on kelpie.${table}
        for each row execute function planted.seal_${table}();
      -- Also where a test switches the triggers of the schema off.
      alter table kelpie.${table} enable always trigger zz_planted;`,
  );
  return `${functions}${triggers.join('')}
    grant usage on schema planted to public;
    grant execute on all functions in schema planted to public;`;
}

/** Rows that a test plants as a superuser stand for rows that the service wrote: each gets the MAC that the service would give it. */
export async function sealPlantedRows(superuserUrl: string, rowKey: string): Promise<void> {
  // A connection that is kept would keep a template from being copied.
  const client = new Client(superuserUrl);
  await client.connect();
  await client.query(sqlFor(rowKey));
  await client.end();
}

const prepared = new Map<string, Promise<void>>();

async function prepare(superuserUrl: string): Promise<void> {
  const { rows } = await asAdmin(superuserUrl, async (client) =>
    client.query<{ is_there: boolean }>(`select to_regnamespace('planted') is not null as is_there`),
  );
  if (rows[0]?.is_there !== true) await sealPlantedRows(superuserUrl, testSecrets.KELPIE_ROW_KEY);
}

/** The same, once, in a database that is no copy of the template. */
export async function readyToPlant(superuserUrl: string): Promise<void> {
  const ready = prepared.get(superuserUrl) ?? prepare(superuserUrl);
  prepared.set(superuserUrl, ready);
  return ready;
}

/** Writes past the service, as whoever has the database would: nothing is sealed. */
export async function tamper(superuserUrl: string, sql: string, values: readonly unknown[] = []): Promise<void> {
  await asAdmin(superuserUrl, async (client) => {
    await client.query(`set planted.tampers = 'on'`);
    await client.query(`set session_replication_role = 'replica'`);
    const { rowCount } = await client.query(sql, [...values]);
    if (rowCount === 0) throw new Error('nothing was tampered with');
  });
}
