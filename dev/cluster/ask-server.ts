import { Client } from 'pg';

const withinMs = 3_000;

/** One question on a connection of its own, with a deadline: a server that is frozen or cut off must not hold us up. */
export async function askServer<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: withinMs, query_timeout: withinMs });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<Row>(sql);
    return rows;
  } finally {
    // Not awaited: a frozen server never says goodbye.
    void client.end().catch(() => undefined);
  }
}
