import type { Transaction } from '../../../platform/database/transaction.ts';
import { read, unsafe, type DoctorDeps } from '../deps.ts';
import { ok, problem, warning, type Check, type Finding } from '../finding.ts';

interface ServerRow {
  standby_names: string;
  is_standby: boolean;
  sees_all: boolean;
  standbys: number;
}

interface StandbyRow {
  is_synchronous: boolean;
  lag_bytes: string | null;
}

/** About half a minute of a busy server. A standby that is further behind delays a failover. */
const mostLagBytes = 64n * 1024n * 1024n;

const serverSql = `select current_setting('synchronous_standby_names') as standby_names, pg_is_in_recovery() as is_standby,
    pg_has_role(session_user, 'pg_read_all_stats', 'member') as sees_all,
    (select count(*)::int from pg_stat_replication) as standbys`;

const standbysSql = `select sync_state in ('sync', 'quorum') as is_synchronous,
    pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::text as lag_bytes
  from pg_stat_replication where state = 'streaming'`;

/** The role does not inherit what it is a member of, so that no other query has it. */
async function listStandbys(tx: Transaction): Promise<StandbyRow[]> {
  await tx.query('set local role pg_read_all_stats');
  const { rows } = await tx.query<StandbyRow>(standbysSql);
  return rows;
}

function judgeStandbys(standbys: readonly StandbyRow[]): Finding[] {
  const synchronous = standbys.filter(({ is_synchronous: isSynchronous }) => isSynchronous);
  if (synchronous.length === 0)
    return [problem('No synchronous standby is connected, so no write is confirmed. Check patronictl list.')];
  const lags = standbys.map(({ lag_bytes: lag }) => BigInt(lag ?? '0'));
  const behind = lags.filter((lag) => lag > mostLagBytes);
  return behind.length === 0
    ? [ok(`Standbys: ${standbys.length}, synchronous: ${synchronous.length}, and none is far behind.`)]
    : [warning(`Standbys more than 64 MB behind: ${behind.length}. Check their disks and network.`)];
}

export function checkReplication(deps: DoctorDeps): Check {
  return {
    name: 'replication',
    run: async () =>
      read(deps, async (tx) => {
        const { rows } = await tx.query<ServerRow>(serverSql);
        const [server] = rows;
        if (server === undefined) throw new Error('the server says nothing of itself');
        if (server.is_standby)
          return [problem('The address leads to a standby, which takes no writes. Check HAProxy and patronictl list.')];
        if (server.standby_names === '')
          return [
            unsafe(
              deps,
              'The database confirms commits that only one server has. Run it under Patroni (docs/deploying.md).',
            ),
          ];
        if (server.standbys === 0)
          return [problem('No standby is connected, so no write is confirmed. Check patronictl list.')];
        if (server.sees_all) return judgeStandbys(await listStandbys(tx));
        return [
          warning(
            `Standbys connected: ${server.standbys}. To see how far they are behind, run as a superuser: grant pg_read_all_stats to kelpie_reader.`,
          ),
        ];
      }),
  };
}
