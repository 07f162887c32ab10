import type { Pool } from '../../platform/database/pool.ts';
import { startJobSender, type JobDesk } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/logging.ts';

/** For a command whose transaction also makes a job, or has one done again. */
export async function withJobs<Result>(
  { pool, logger }: { pool: Pool; logger: Logger },
  work: (jobs: JobDesk) => Promise<Result>,
): Promise<Result> {
  const jobs = await startJobSender(pool, logger);
  try {
    return await work(jobs);
  } finally {
    await jobs.stop();
  }
}
