import { PgBoss, type JobWithMetadata } from 'pg-boss';
import type { Pool } from '../database/pool.ts';
import type { Transaction } from '../database/transaction.ts';
import { writesRefused } from '../database/unavailable.ts';
import { describeError, type Logger } from '../logging.ts';
import { startLostJobWatch } from './lost-jobs.ts';
import { noWakeSender, type WakeSender } from '../wake-ups/wake-sender.ts';
import type { WakeListener } from '../wake-ups/wake-listener.ts';
import { startQueueProbe } from './queue-probe.ts';

/** A kind of job. Its arguments hold ids only: a job's row is read by people and kept for days. */
export interface Queue {
  name: string;
  /** How often a job that failed is tried again, before a person has to look. */
  retryLimit: number;
  /** How many of its jobs a worker does side by side; one where it is not said. */
  atOnce?: number;
  /** How long one may take, where that is more than a quarter of an hour; at most a day. A worker that died is noticed anyway. */
  expireSeconds?: number;
  /** A cron expression in UTC, where the job also comes round by itself. */
  schedule?: string;
}

interface JobRun {
  jobId: string;
  arguments: Readonly<Record<string, string>>;
  /**
   * Aborted once this worker finds that it no longer holds the job. Another one may have had it for a while by then: it is
   * a reason to stop early, not a proof that the job is still ours.
   */
  signal: AbortSignal;
}

export type JobHandler = (run: JobRun) => Promise<void>;

export interface JobWorker {
  /** Lets the jobs in hand finish, up to the deadline. */
  stop(deadlineMs: number): Promise<void>;
}

interface Turn {
  /** It is done after all others of its queue that wait: what anybody can cause must not keep the rest waiting. */
  isLast: boolean;
}

export interface JobSender {
  /** The job exists from the commit of this transaction on, and never if it rolls back. */
  enqueue(tx: Transaction, queue: Queue, args: Readonly<Record<string, string>>, turn?: Turn): Promise<string>;
  stop(): Promise<void>;
}

/** The same for a person, who may also have a job done once more. */
export interface JobDesk extends JobSender {
  /** One that was given up is tried again from the commit on. Says false where it was not, or there is none. */
  retry(tx: Transaction, job: { queue: string; id: string }): Promise<boolean>;
}

const schema = 'pgboss';

/**
 * A worker says every 5 s that it is alive. One that is silent for 10 s has lost its jobs, which the probe notices within
 * a second: another worker has them within about 12 s.
 */
const heartbeatSeconds = 10;
/** The engine's own look at all queues takes several statements. Between two of them, the probe asks for one where it finds a lost job. */
const superviseSeconds = 30;
/** How soon after one look the next may follow. */
const monitorSeconds = 1;
/** The engine's own polling, one query per queue. It only matters while the probe can't ask. */
const pollSeconds = 60;
const expireSeconds = 15 * 60;
const retryDelaySeconds = 1;
const retryDelayMaxSeconds = 300;

/** The first words of the engine's sentence, as `clock_skew_between_this`. What follows may name what no log may hold. */
function kindOfWarning(message: string): string {
  const words = message.replace(/^Warning: /, '').match(/[a-z]+/gi) ?? [];
  return words.slice(0, 4).join('_').toLowerCase();
}

/** Sends the engine's statements through a pool of ours. */
function engineOver(pool: Pool, logger: Logger, part: 'installs' | 'sends' | 'works'): PgBoss {
  const boss = new PgBoss({
    schema,
    // The tables belong to the owner's role: `kelpie-admin migrate` makes them, and no other can rebuild their indexes.
    migrate: part === 'installs',
    createSchema: part === 'installs',
    reindex: false,
    supervise: part === 'works',
    schedule: part === 'works',
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: monitorSeconds,
    db: {
      async executeSql(text, values = []) {
        // The engine writes all the time: each would leave one more connection waiting in the server.
        if (!pool.writeGate.isOpen()) throw writesRefused();
        return pool.query(text, values);
      },
    },
  });
  boss.on('error', (error) => logger.error({ error }, 'jobs.engine_error'));
  boss.on('warning', ({ message }) => logger.warn({ action: kindOfWarning(message) }, 'jobs.engine_warning'));
  return boss;
}

/**
 * A sender for a process that begins before its database answers. The engine is started at once, and where that fails, again
 * with the next job. The pool is the engine's alone: all others may be held by transactions that wait for it.
 */
export function openJobSender(enginePool: Pool, logger: Logger, wakes: WakeSender = noWakeSender): JobSender {
  let starting: Promise<JobSender> | undefined;
  const start = async (): Promise<JobSender> => {
    starting ??= startJobSender(enginePool, logger, wakes).catch((error: unknown) => {
      starting = undefined;
      throw error;
    });
    return starting;
  };
  start().catch((error: unknown) => logger.warn({ error }, 'jobs.not_started'));
  return {
    enqueue: async (...job) => (await start()).enqueue(...job),
    stop: async () =>
      starting?.then(
        async (sender) => sender.stop(),
        () => undefined,
      ),
  };
}

/** What the engine does, it does in a transaction of ours. */
function within(tx: Transaction) {
  return { db: { executeSql: async (text: string, values: unknown[] = []) => tx.query(text, values) } };
}

export async function startJobSender(pool: Pool, logger: Logger, wakes: WakeSender = noWakeSender): Promise<JobDesk> {
  const boss = engineOver(pool, logger, 'sends');
  await boss.start();
  return {
    async enqueue(tx, queue, args, { isLast } = { isLast: false }) {
      const jobId = await boss.send(queue.name, args, { ...within(tx), priority: isLast ? -1 : 0 });
      if (jobId === null) throw new Error(`the queue ${queue.name} did not take the job`);
      tx.afterCommit(() => wakes.wake('jobs'));
      return jobId;
    },
    async retry(tx, { queue, id }) {
      // The engine does not say whether it found one that failed.
      const { rows } = await tx.query(
        `select from ${schema}.job where name = $1 and id = $2 and state = 'failed' for update`,
        [queue, id],
      );
      if (rows.length === 1) await boss.retry(queue, id, within(tx));
      tx.afterCommit(() => wakes.wake('jobs'));
      return rows.length === 1;
    },
    stop: async () => boss.stop({ graceful: false }),
  };
}

/**
 * Whether one is there that nobody has begun. Whoever sees it after a commit of theirs needs no other: it begins later, and
 * finds what they have written.
 */
export async function isJobWaiting(tx: Transaction, { name }: Queue): Promise<boolean> {
  const { rows } = await tx.query(
    `select from ${schema}.job where name = $1 and state < 'active' and start_after <= now() limit 1`,
    [name],
  );
  return rows.length > 0;
}

/** The engine stores what a job threw, for people to read: so it gets no more than a log would. */
class JobFailed extends Error {
  override readonly name = 'JobFailed';

  constructor(cause: unknown) {
    const { name, code, at } = describeError(cause);
    super([name, code].filter((part) => part !== undefined).join(' '));
    this.stack = at.join('\n');
  }
}

function isArguments(data: unknown): data is Record<string, string> {
  return typeof data === 'object' && data !== null && Object.values(data).every((value) => typeof value === 'string');
}

interface JobWorkerDeps {
  enginePool: Pool;
  logger: Logger;
  wakeUps: WakeListener;
  /** Called each time that it could look for jobs. */
  onRound: () => void;
}

/**
 * Runs jobs until it is stopped. A handler that throws has its job tried again, up to the queue's limit. The pool is the
 * engine's alone: where handlers took its connections, it could not say in time that they are alive.
 */
export async function startJobWorker(
  { enginePool, logger, wakeUps, onRound }: JobWorkerDeps,
  handlers: ReadonlyMap<Queue, JobHandler>,
): Promise<JobWorker> {
  const boss = engineOver(enginePool, logger, 'works');
  await boss.start();
  const workersOf = new Map<string, string[]>();
  for (const [queue, handler] of handlers) {
    const run = runJob(queue, handler, logger);
    // Full batches go on at once: a queue that has more is not polled for it.
    const options = { batchSize: 1, burstWhenBatchFull: true, pollingIntervalSeconds: pollSeconds };
    const ids: string[] = [];
    for (let at = 0; at < (queue.atOnce ?? 1); at += 1) ids.push(await boss.work<unknown>(queue.name, options, run));
    workersOf.set(queue.name, ids);
  }
  const probe = startQueueProbe({
    pool: enginePool,
    logger,
    wakeUps,
    queues: [...workersOf.keys()],
    onWaiting(queue) {
      for (const id of workersOf.get(queue) ?? []) boss.notifyWorker(id);
    },
    onLost: async (queue) => boss.supervise(queue),
    onRound,
  });
  const watch = startLostJobWatch(enginePool, logger);
  return {
    async stop(deadlineMs) {
      await watch.stop();
      await probe.stop();
      await boss.stop({ graceful: true, timeout: deadlineMs });
    },
  };
}

function runJob(queue: Queue, handler: JobHandler, logger: Logger) {
  return async (
    jobs: readonly Pick<JobWithMetadata<unknown>, 'id' | 'data' | 'retryCount' | 'signal'>[],
  ): Promise<void> => {
    for (const job of jobs) {
      const line = { queue: queue.name, job_id: job.id, attempt: job.retryCount + 1 };
      const startedAt = performance.now();
      try {
        const args = job.data ?? {};
        if (!isArguments(args)) throw new Error(`a job of ${queue.name} has arguments that are not strings`);
        await handler({ jobId: job.id, arguments: args, signal: job.signal });
        logger.info({ ...line, duration_ms: Math.round(performance.now() - startedAt) }, 'job.done');
      } catch (error) {
        logger.error({ ...line, error }, 'job.failed');
        // An alarm: it is not tried again by itself.
        if (job.retryCount >= queue.retryLimit) logger.error(line, 'job.given_up');
        throw new JobFailed(error);
      }
    }
  };
}

async function createQueues(boss: PgBoss, queues: Iterable<Queue>): Promise<void> {
  for (const queue of queues) {
    const options = {
      retryLimit: queue.retryLimit,
      retryDelay: retryDelaySeconds,
      retryBackoff: true,
      retryDelayMax: retryDelayMaxSeconds,
      heartbeatSeconds,
      expireInSeconds: queue.expireSeconds ?? expireSeconds,
    };
    if ((await boss.getQueue(queue.name)) === null) await boss.createQueue(queue.name, options);
    else await boss.updateQueue(queue.name, options);
    if (queue.schedule === undefined) await boss.unschedule(queue.name);
    // One that came due while no worker ran is done once, as soon as one does.
    else await boss.schedule(queue.name, queue.schedule, {}, { tz: 'UTC', missed: 'once' });
  }
}

/** Makes or updates the engine's tables and our queues, as the owner, and lets the service's role use them. */
export async function installJobEngine(ownerPool: Pool, queues: Iterable<Queue>, logger: Logger): Promise<void> {
  const boss = engineOver(ownerPool, logger, 'installs');
  await boss.start();
  await createQueues(boss, queues);
  await boss.stop({ graceful: false });
  await ownerPool.query(`
    grant usage on schema ${schema} to kelpie_service, kelpie_reader;
    grant select, insert, update, delete on all tables in schema ${schema} to kelpie_service;
    grant usage on all sequences in schema ${schema} to kelpie_service;
    grant execute on all functions in schema ${schema} to kelpie_service;
    grant select on all tables in schema ${schema} to kelpie_reader;
    do $$ begin
      -- Without these, what is asked every few seconds reads every job that is kept: which jobs lost their worker, which were given up,
      -- and when a schedule last succeeded.
      if to_regclass('${schema}.kelpie_active_jobs') is null then
        create index kelpie_active_jobs on ${schema}.job_common (name) where state = 'active';
      end if;
      if to_regclass('${schema}.kelpie_failed_jobs') is null then
        create index kelpie_failed_jobs on ${schema}.job_common (name) where state = 'failed';
      end if;
      if to_regclass('${schema}.kelpie_completed_jobs') is null then
        create index kelpie_completed_jobs on ${schema}.job_common (name, completed_on) where state = 'completed';
      end if;
    end $$;
  `);
}
