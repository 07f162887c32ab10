import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { readProcessTime, readServerTime } from './processor-time.ts';
import { rounded } from './report.ts';

/** What is ours: the bank, its database, the callers and the receiver are other processes, and other servers. */
interface Measured {
  postmaster: number;
  api: number;
  worker: number;
  superuserUrl: string;
}

interface FunctionCost {
  name: string;
  calls: number;
  /** Without the functions that it calls. By the clock: where the machine is busy, more than it used of the processor. */
  selfMs: number;
}

/** What was used so far. */
export interface LifeCosts {
  postgresMicroseconds: number;
  apiMicroseconds: number;
  workerMicroseconds: number;
  commits: number;
  walBytes: number;
  /** None where the server does not count them. */
  functions: FunctionCost[];
}

interface StatisticsRow {
  commits: string;
  wal_bytes: string;
}

interface FunctionRow {
  name: string;
  calls: string;
  self_ms: number;
}

/** Has the server time each function of the database, from the next connection on. */
export async function countFunctions(superuserUrl: string, database: string): Promise<void> {
  await asAdmin(superuserUrl, async (client) => client.query(`alter database ${database} set track_functions = 'all'`));
}

export async function readLifeCosts({ postmaster, api, worker, superuserUrl }: Measured): Promise<LifeCosts> {
  const times = {
    postgresMicroseconds: readServerTime(postmaster),
    apiMicroseconds: readProcessTime(api),
    workerMicroseconds: readProcessTime(worker),
  };
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<StatisticsRow>(
      `select (select xact_commit from pg_stat_database where datname = current_database()) as commits,
         pg_current_wal_insert_lsn() - '0/0' as wal_bytes`,
    );
    const functions = await client.query<FunctionRow>(
      `select schemaname || '.' || funcname as name, calls, self_time as self_ms from pg_stat_user_functions`,
    );
    return {
      ...times,
      commits: Number(rows[0]?.commits),
      walBytes: Number(rows[0]?.wal_bytes),
      functions: functions.rows.map(({ name, calls, self_ms: selfMs }) => ({ name, calls: Number(calls), selfMs })),
    };
  });
}

/** For each payout of those that were completed in between. */
export interface LifeCostLine {
  cpu_us_api: number;
  cpu_us_worker: number;
  cpu_us_postgres: number;
  cpu_us: number;
  commits: number;
  wal_bytes: number;
}

export function costOfEach(before: LifeCosts, after: LifeCosts, payouts: number): LifeCostLine {
  const each = (what: Exclude<keyof LifeCosts, 'functions'>, digits = 0): number =>
    rounded((after[what] - before[what]) / payouts, digits);
  const costs = {
    cpu_us_api: each('apiMicroseconds'),
    cpu_us_worker: each('workerMicroseconds'),
    cpu_us_postgres: each('postgresMicroseconds'),
  };
  return {
    ...costs,
    cpu_us: costs.cpu_us_api + costs.cpu_us_worker + costs.cpu_us_postgres,
    commits: each('commits', 2),
    wal_bytes: each('walBytes'),
  };
}

export interface FunctionCostLine {
  name: string;
  calls: number;
  self_us: number;
}

/** The same of each function of the database, the dearest first. */
export function functionCostOfEach(before: LifeCosts, after: LifeCosts, payouts: number): FunctionCostLine[] {
  const earlier = new Map(before.functions.map((one) => [one.name, one]));
  return after.functions
    .map(({ name, calls, selfMs }) => ({
      name,
      calls: rounded((calls - (earlier.get(name)?.calls ?? 0)) / payouts, 3),
      self_us: rounded(((selfMs - (earlier.get(name)?.selfMs ?? 0)) * 1_000) / payouts, 1),
    }))
    .filter(({ calls }) => calls > 0)
    .toSorted((one, other) => other.self_us - one.self_us);
}
