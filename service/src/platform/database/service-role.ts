import { ConfigurationError } from '../configuration/configuration.ts';
import type { Pool } from './pool.ts';

/** Row security does not apply to superusers and BYPASSRLS roles, so the service refuses to run as one. */
export async function assertServiceRole(pool: Pool): Promise<void> {
  const { rowCount } = await pool.query(
    `select from pg_roles where rolname = current_user and (rolsuper or rolbypassrls or rolname <> 'kelpie_service')`,
  );
  if (rowCount === 0) return;
  throw new ConfigurationError([
    'KELPIE_DATABASE_URL must connect as kelpie_service, and that role must not bypass row security',
  ]);
}
