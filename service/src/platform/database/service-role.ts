import { ConfigurationError } from '../configuration/configuration.ts';
import type { Pool } from './pool.ts';

/** Row security does not bind a superuser, nor a role that may pass it: a service that connects as one serves nobody. */
export async function assertServiceRole(pool: Pool): Promise<void> {
  const { rowCount } = await pool.query(
    `select from pg_roles where rolname = current_user and (rolsuper or rolbypassrls or rolname <> 'kelpie_service')`,
  );
  if (rowCount === 0) return;
  throw new ConfigurationError([
    'KELPIE_DATABASE_URL connects as another role than kelpie_service, or that role can pass row security: it has to be bound by it',
  ]);
}
