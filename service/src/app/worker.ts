// The worker process: does the jobs, and looks after payouts that are not at their end. Any number of them run side by
// side; a job or a payout is in the hands of one at a time.
import { startSweep } from '../payouts/index.ts';
import { startJobWorker } from '../platform/jobs.ts';
import { settings } from '../platform/settings.ts';
import { chooseBanks } from './banks.ts';
import { composeWorker } from './compose-worker.ts';
import { beginWorker, stopOnSignal } from './process.ts';

const finishJobsWithinMs = 8_000;

const { own, mode, clock, reach, logger, metrics, metricsPort, pool, enginePool } = await beginWorker((get) => ({
  banks: chooseBanks(get),
  dataKeys: get(settings.dataKeys),
  commitsAtOnce: get(settings.commitsAtOnce),
}));
const { handlers, payouts } = composeWorker({ ...own, clock, logger, pool, reach });
const jobs = await startJobWorker(enginePool, logger, handlers);
const sweep = startSweep(payouts);
stopOnSignal(logger, async () => {
  await Promise.all([jobs.stop(finishJobsWithinMs), sweep.stop()]);
  await enginePool.end();
  await pool.end();
  await metrics.close();
});
logger.info({ mode, metrics_port: metricsPort }, 'worker.working');
