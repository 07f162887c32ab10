import { existsSync, readFileSync, readdirSync } from 'node:fs';
import type { Client } from 'pg';
import { OperatorError } from '../operator-error.ts';
import { checksumOf } from './migrations.ts';

/** The current text of one database function. It is applied again whenever the text changes. */
export interface FunctionSource {
  /** Module and function, as `payouts/create_payouts`. */
  name: string;
  functionName: string;
  checksum: string;
  sql: string;
  /** The role that owns it, where it runs with its owner's rights. */
  owner: string | null;
  /** The roles that may call it; null for everyone. */
  callers: string[] | null;
  /** The number of the migration right after which it is needed: by a policy, a check or a trigger of a later one. */
  neededAfter: string | null;
}

const pathForm = /^[a-z-]+\/(?:previous\/)?([a-z_]+)\.sql$/;
const roleForm = /^kelpie_[a-z]+$/;
const definition = /^create or replace function kelpie\.([a-z_]+)\(/gm;

function headerLine(sql: string, label: string): string | null {
  return new RegExp(`^-- ${label}: (.*)$`, 'm').exec(sql)?.[1] ?? null;
}

function roles(path: string, text: string): string[] {
  const names = text.split(', ');
  if (!names.every((name) => roleForm.test(name))) throw new OperatorError(`${path}: "${text}" names no roles`);
  return names;
}

function parseFunction(path: string, sql: string): FunctionSource {
  const functionName = pathForm.exec(path)?.[1];
  if (functionName === undefined)
    throw new OperatorError(`${path}: a function is in MODULE/FUNCTION.sql or MODULE/previous/FUNCTION.sql`);
  const defined = [...sql.matchAll(definition)].map(([, name]) => name);
  if (defined.length !== 1 || defined[0] !== functionName)
    throw new OperatorError(`${path} should define the function ${functionName}, and no other`);
  const owner = headerLine(sql, 'Owner');
  const callers = headerLine(sql, 'Callers');
  if (callers === null) throw new OperatorError(`${path} should say who may call it: "-- Callers: …"`);
  return {
    name: path.replace(/\.sql$/, ''),
    functionName,
    checksum: checksumOf(sql),
    sql,
    owner: owner === null ? null : (roles(path, owner)[0] ?? null),
    callers: callers === 'everyone' ? null : callers === 'none' ? [] : roles(path, callers),
    neededAfter: headerLine(sql, 'Applied after'),
  };
}

export function readFunctions(folder: URL): FunctionSource[] {
  const functions = new URL('functions/', folder);
  if (!existsSync(functions)) return [];
  return readdirSync(functions, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.sql'))
    .toSorted()
    .map((path) => parseFunction(path, readFileSync(new URL(path, functions), 'utf8')));
}

/** The signatures of functions of that name that this transaction has written. */
async function writtenSignatures(client: Client, functionName: string): Promise<string[]> {
  const { rows } = await client.query<{ signature: string }>(
    `select p.oid::regprocedure::text as signature from pg_proc p
     where p.pronamespace = 'kelpie'::regnamespace and p.proname = $1 and p.xmin = pg_current_xact_id()::xid`,
    [functionName],
  );
  return rows.map(({ signature }) => signature);
}

/** Takes the right to execute from everyone first: a replaced function keeps the rights that it had. */
async function setCallers(client: Client, signature: string, callers: readonly string[] | null): Promise<void> {
  const { rows } = await client.query<{ role: string }>(
    `select distinct a.grantee::regrole::text as role from pg_proc p, aclexplode(p.proacl) a
     where p.oid = $1::regprocedure and a.grantee not in (0, p.proowner)`,
    [signature],
  );
  const others = rows.map(({ role }) => role);
  await client.query(`revoke all on function ${signature} from ${['public', ...others].join(', ')}`);
  const granted = callers === null ? ['public'] : callers;
  if (granted.length > 0) await client.query(`grant execute on function ${signature} to ${granted.join(', ')}`);
}

async function createFunction(
  client: Client,
  { name, functionName, sql, owner, callers }: FunctionSource,
): Promise<void> {
  const before = new Set(await writtenSignatures(client, functionName));
  if (owner !== null) await client.query(`set local role ${owner}`);
  await client.query(sql);
  const written = await writtenSignatures(client, functionName);
  const signature = written.find((one) => !before.has(one));
  if (signature === undefined) throw new OperatorError(`${name} has the same arguments as another function`);
  await setCallers(client, signature, callers);
  if (owner !== null) await client.query('reset role');
}

/** Checks the bodies, now that everything they call is there. */
async function checkBodies(client: Client, sources: readonly FunctionSource[]): Promise<void> {
  await client.query('set local check_function_bodies = on');
  for (const { sql, owner } of sources) {
    if (owner !== null) await client.query(`set local role ${owner}`);
    await client.query(sql);
    if (owner !== null) await client.query('reset role');
  }
}

/**
 * Creates or replaces functions inside the caller's transaction, all or none: two functions that change together are
 * never seen half changed. They may call each other in any order.
 */
export async function createFunctions(
  client: Client,
  sources: readonly FunctionSource[],
  appliedAt: Date,
): Promise<void> {
  const owners = [...new Set(sources.flatMap(({ owner }) => owner ?? []))].filter((owner) => owner !== 'kelpie_owner');
  if (owners.length > 0) await client.query(`grant create on schema kelpie to ${owners.join(', ')}`);
  await client.query('set local check_function_bodies = off');
  for (const source of sources) await createFunction(client, source);
  await checkBodies(client, sources);
  if (owners.length > 0) await client.query(`revoke create on schema kelpie from ${owners.join(', ')}`);
  for (const { name, checksum } of sources) {
    await client.query('update kelpie.functions set is_current = false where name = $1', [name]);
    await client.query(
      `insert into kelpie.functions (name, checksum, applied_at, is_current) values ($1, $2, $3, true)
       on conflict (name, checksum) do update set applied_at = excluded.applied_at, is_current = true`,
      [name, checksum, appliedAt],
    );
  }
}
