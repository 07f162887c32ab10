// The worker process: does the jobs, and looks after payouts that are not at their end. Any number of them run side by
// side; a job or a payout is in the hands of one at a time.
import { startSweep } from '../payouts/index.ts';
import { startJobSender, startJobWorker } from '../platform/jobs/jobs.ts';
import { openMailTransport } from '../platform/mail/transport.ts';
import { createEncryptor } from '../platform/encryption.ts';
import { settings } from '../platform/configuration/settings.ts';
import { chooseBanks } from './wiring/banks.ts';
import { composeWorker } from './compose-worker.ts';
import { chooseAnchor, startWorkerHeartbeat } from './wiring/heartbeat.ts';
import { chooseIssuer } from './wiring/invoice-issuer.ts';
import { chooseRelay, chooseSender, chooseSupport, openOutbox } from './wiring/mail.ts';
import { beginWorker, stopOnSignal } from './wiring/process.ts';

const finishJobsWithinMs = 8_000;

const begun = await beginWorker((get) => ({
  banks: chooseBanks(get),
  dataKeys: get(settings.dataKeys),
  indexKey: get(settings.indexKey),
  relay: chooseRelay(get),
  mailFrom: chooseSender(get),
  supportEmail: chooseSupport(get),
  dashboardUrl: get(settings.dashboardUrl),
  issuer: chooseIssuer(get),
  anchorFile: chooseAnchor(get),
}));
const { own, mode, clock, failpoint, logger, metrics, metricsPort, pool, enginePool, endPools } = begun;
const transport = own.relay === null ? null : openMailTransport(own.relay);
const sender = await startJobSender(enginePool, logger);
const encryptor = createEncryptor(own.dataKeys);
const { mailFrom, supportEmail } = own;
const outbox = openOutbox({ jobs: sender, encryptor, clock, mailFrom, supportEmail });
const { handlers, payouts } = composeWorker({
  ...own,
  clock,
  logger,
  pool,
  failpoint,
  transport,
  outbox,
  jobs: sender,
});
const heartbeat = await startWorkerHeartbeat({ ...payouts, anchorFile: own.anchorFile });
const jobs = await startJobWorker(enginePool, logger, handlers);
const sweep = startSweep(payouts);
stopOnSignal(logger, async () => {
  await Promise.all([jobs.stop(finishJobsWithinMs), sweep.stop(), heartbeat.stop()]);
  transport?.close();
  await sender.stop();
  await endPools();
  await metrics.close();
});
logger.info({ mode, metrics_port: metricsPort }, 'worker.working');
