import type { Transaction } from '../database/transaction.ts';

/** A job, as an operator sees it. Its arguments are ids, and its error is what a log would say of it. */
export interface AdminJob {
  id: string;
  queue: string;
  state: string;
  /** How often it was tried, the first time included. */
  tries: number;
  mostTries: number;
  createdAt: Date;
  /** When it ended, or was given up; null where it was not. */
  endedAt: Date | null;
  /** When it is tried next; null where nobody will. */
  nextAt: Date | null;
  error: string | null;
  /** The places in the code that it went through. */
  errorAt: string[];
  arguments: Readonly<Record<string, string>>;
}

interface JobRow {
  id: string;
  name: string;
  state: string;
  retry_count: number;
  retry_limit: number;
  created_on: Date;
  started_on: Date | null;
  completed_on: Date | null;
  start_after: Date;
  error: string | null;
  stack: string | null;
  data: Record<string, string> | null;
}

/** What a handler threw is there as the job engine was given it; where it never came to that, as the engine itself says it. */
const columns = `id, name, state::text, retry_count, retry_limit, created_on, started_on, completed_on, start_after,
  coalesce(output ->> 'message', output -> 'value' ->> 'message') as error, output ->> 'stack' as stack, data`;

const waiting = new Set(['created', 'retry']);

function jobFrom(row: JobRow): AdminJob {
  return {
    id: row.id,
    queue: row.name,
    state: row.state,
    tries: row.started_on === null ? 0 : row.retry_count + 1,
    mostTries: row.retry_limit + 1,
    createdAt: row.created_on,
    endedAt: row.completed_on,
    nextAt: waiting.has(row.state) ? row.start_after : null,
    error: row.error,
    errorAt: row.stack === null || row.stack === '' ? [] : row.stack.split('\n'),
    arguments: row.data ?? {},
  };
}

interface JobFilter {
  /** Null fits every one. */
  state: string | null;
  queue: string | null;
  atMost: number;
}

/** The newest first. As the reading role. */
export async function listJobs(tx: Transaction, { state, queue, atMost }: JobFilter): Promise<AdminJob[]> {
  const { rows } = await tx.query<JobRow>(
    `select ${columns} from pgboss.job
     where ($1::text is null or state = $1::pgboss.job_state) and ($2::text is null or name = $2)
     order by created_on desc, id limit $3`,
    [state, queue, atMost],
  );
  return rows.map(jobFrom);
}

export async function findJob(tx: Transaction, id: string): Promise<AdminJob | null> {
  const { rows } = await tx.query<JobRow>(`select ${columns} from pgboss.job where id = $1 limit 1`, [id]);
  const [row] = rows;
  return row === undefined ? null : jobFrom(row);
}
