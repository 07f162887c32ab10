import type { Pool } from './pool.ts';

/** Row security does not bind a superuser, nor a role that may pass it: a service that connects as one serves nobody. */
export async function assertServiceRole(pool: Pool): Promise<void> {
  const { rowCount } = await pool.query(
    `select from pg_roles where rolname = current_user and (rolsuper or rolbypassrls or rolname <> 'kelpie_service')`,
  );
  if (rowCount !== 0) throw new Error('the service has to connect as kelpie_service, with no way past row security');
}
