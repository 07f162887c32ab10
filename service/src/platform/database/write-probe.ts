import { randomInt } from 'node:crypto';
import { Client } from 'pg';
import { databaseStateOf } from './database-state.ts';
import type { ProbeResult } from './write-gate.ts';

export interface WriteProbe {
  /** Makes a small write and waits until it is confirmed. Never rejects. */
  run: () => Promise<ProbeResult>;
  stop: () => Promise<void>;
}

const connectTimeoutMs = 2_000;
/** A commit that takes longer is held up by its standby, or nobody is there. */
const confirmedWithinMs = 5_000;
/** Tells our locks from those of other programs on the same database. */
const lockClass = 0x6b_70_6c_70;

/**
 * A message in the write-ahead log is a write that a standby has to confirm, and needs no table. A commit that waits for its
 * standby keeps its locks, even after its client is gone. So at most one probe per process ever waits in the server.
 */
const writeMessage = `select case
    when current_setting('transaction_read_only')::boolean then 'read_only'
    when not pg_try_advisory_xact_lock($1, $2) then 'earlier_probe_waits'
    when pg_logical_emit_message(true, 'kelpie', 'write probe'::text) is not null then 'written'
  end as outcome`;

type Outcome = 'read_only' | 'earlier_probe_waits' | 'written';

/** On a connection of its own: those of the pool may all be held by writes that wait. */
export function createWriteProbe({ url, applicationName }: { url: string; applicationName: string }): WriteProbe {
  const lockOfProcess = randomInt(2 ** 31);
  let client: Client | null = null;

  const drop = async (): Promise<void> => {
    const dropped = client;
    client = null;
    await dropped?.end().catch(() => undefined);
  };
  const connect = async (): Promise<Client> => {
    const opened = new Client({
      connectionString: url,
      application_name: applicationName,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: confirmedWithinMs,
      keepAlive: true,
    });
    // A connection that ends between two probes fails the next one, not the process.
    opened.on('error', () => undefined);
    client = opened;
    await opened.connect();
    return opened;
  };
  const write = async (): Promise<ProbeResult> => {
    const connected = client ?? (await connect());
    let isWarned = false;
    const onNotice = (): void => {
      isWarned = true;
    };
    connected.on('notice', onNotice);
    const { rows } = await connected.query<{ outcome: Outcome }>(writeMessage, [lockClass, lockOfProcess]);
    connected.off('notice', onNotice);
    if (isWarned) return 'database_commit_unconfirmed';
    switch (rows[0]?.outcome) {
      case 'written':
        return null;
      case 'earlier_probe_waits':
        return 'database_timed_out';
      case 'read_only':
      case undefined:
        return 'database_read_only';
    }
  };
  const attempt = async (): Promise<ProbeResult> => {
    try {
      const found = await write();
      // Another connection may reach the server that takes writes.
      if (found !== null && found !== 'database_timed_out') void drop();
      return found;
    } catch (error) {
      void drop();
      return databaseStateOf(error) ?? 'database_refused';
    }
  };
  return {
    async run() {
      const isReused = client !== null;
      const found = await attempt();
      // A connection that broke since the last probe says nothing of the server.
      const isBroken = found === 'database_unreachable' || found === 'database_shutting_down';
      return isReused && isBroken ? attempt() : found;
    },
    stop: drop,
  };
}
