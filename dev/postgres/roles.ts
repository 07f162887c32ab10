import { createHmac } from 'node:crypto';
import { Pool, type PoolClient } from 'pg';

/**
 * The roles that connect: one owns the tables and migrates them, one is the service's, one only reads. Roles belong to the
 * whole server. In production they are made by whoever runs it, as docs/database.md says.
 */
const loginRoles = ['kelpie_owner', 'kelpie_service', 'kelpie_reader'] as const;

/** Two persons, because one proposes what frees money and another approves it. Each has the role kelpie_operator. */
export const operatorLogins = ['ada@kelpie.example', 'grace@kelpie.example'] as const;
type Role = (typeof loginRoles)[number] | (typeof operatorLogins)[number];

/** Nobody connects as these. Each owns the functions that may write for every partner, and has policies for just that. */
const functionRoles = ['kelpie_ledger', 'kelpie_access', 'kelpie_payouts'];

/** Derived from the administrator's own password: two checkouts that share a server agree on it without a file. */
function passwordOf(role: Role, adminUrl: string): string {
  return createHmac('sha256', new URL(adminUrl).password).update(role).digest('hex');
}

export function urlFor(adminUrl: string, database: string, role?: Role): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  if (role !== undefined) {
    url.username = role;
    url.password = passwordOf(role, adminUrl);
  }
  return url.href;
}

/** To open a connection costs more than nearly all that is asked on it: each is kept for the next who asks. */
const pools = new Map<string, Pool>();

function poolFor(url: string): Pool {
  const known = pools.get(url);
  if (known !== undefined) return known;
  const pool = new Pool({ connectionString: url, connectionTimeoutMillis: 10_000, max: 50, allowExitOnIdle: true });
  // A database that is dropped ends the connections that wait here. They are replaced when somebody asks again.
  pool.on('error', () => undefined);
  // A connection that is lost between two queries of its user fails at the second.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pools.set(url, pool);
  return pool;
}

/** Whatever was set or locked on the connection, or begun and not committed, is gone at the end of the work. */
export async function asAdmin<Result>(
  adminUrl: string,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await poolFor(adminUrl).connect();
  let isReusable = false;
  try {
    const result = await work(client);
    isReusable = await reset(client);
    return result;
  } finally {
    client.release(!isReusable);
  }
}

async function reset(client: PoolClient): Promise<boolean> {
  try {
    await client.query('rollback');
    await client.query('discard all');
    return true;
  } catch {
    // The work may have ended the connection itself.
    return false;
  }
}

/** Makes the roles where they are missing, and gives them what they may and no more. */
export async function ensureRoles(adminUrl: string): Promise<void> {
  await asAdmin(adminUrl, async (client) => {
    // Two runs at once would both find a role missing.
    await client.query(`select pg_advisory_lock(hashtextextended('kelpie.roles', 0))`);
    const ensure = async (role: string, attributes: string): Promise<void> => {
      const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role]);
      const verb = rowCount === 0 ? 'create' : 'alter';
      await client.query(
        `${verb} role ${client.escapeIdentifier(role)} with nosuperuser nocreatedb nocreaterole nobypassrls ${attributes}`,
      );
    };
    const withPassword = (role: Role): string => `login password ${client.escapeLiteral(passwordOf(role, adminUrl))}`;
    for (const role of loginRoles) await ensure(role, `noinherit ${withPassword(role)}`);
    // So that the doctor sees how far standbys are behind.
    await client.query('grant pg_read_all_stats to kelpie_reader');
    await ensure('kelpie_operator', 'noinherit nologin');
    for (const login of operatorLogins) {
      await ensure(login, `inherit ${withPassword(login)}`);
      await client.query(`grant kelpie_operator to ${client.escapeIdentifier(login)}`);
    }
    for (const role of functionRoles) {
      await ensure(role, 'noinherit nologin');
      // So that a migration can make a function and hand it over.
      await client.query(`grant ${role} to kelpie_owner`);
    }
  });
}

export async function createDatabase(adminUrl: string, name: string): Promise<void> {
  await asAdmin(adminUrl, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount !== 0) return;
    await client.query(`create database ${client.escapeIdentifier(name)} owner kelpie_owner`);
  });
}

export async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  await asAdmin(adminUrl, async (client) => {
    await client.query(`drop database if exists ${client.escapeIdentifier(name)} with (force)`);
  });
}
