// The worker process: does the jobs, and looks after payouts that are not at their end. Any number of them run side by
// side; a job or a payout is in the hands of one at a time.
import { createDirectoryStore } from '../archive/index.ts';
import { createEventReader, startNumbering } from '../events/index.ts';
import { describePayoutVersions } from '../payouts/routes/payout-versions.ts';
import { startSweep } from '../payouts/index.ts';
import { startJobSender, startJobWorker } from '../platform/jobs/jobs.ts';
import { openMailTransport } from '../platform/mail/transport.ts';
import { createEgress } from '../platform/egress/egress.ts';
import { createEncryptor } from '../platform/encryption.ts';
import { settings } from '../platform/configuration/settings.ts';
import { createDeliveryMetrics, startDelivering } from '../webhooks/index.ts';
import { chooseBanks, chooseFloats } from './wiring/banks.ts';
import { composeWorker } from './compose-worker.ts';
import { startWorkerGauges } from './wiring/gauges.ts';
import { chooseEgress } from './wiring/egress.ts';
import { chooseAnchor, startWorkerHeartbeat } from './wiring/heartbeat.ts';
import { chooseLedgerProof } from './wiring/ledger-proof.ts';
import { chooseIssuer } from './wiring/invoice-issuer.ts';
import { chooseRelay, chooseSender, chooseSupport, openOutbox } from './wiring/mail.ts';
import { beginWorker, stopOnSignal } from './wiring/process.ts';
import { chooseReader, openWorkerReader } from './wiring/reader.ts';

const finishJobsWithinMs = 8_000;

const begun = await beginWorker((get) => ({
  banks: chooseBanks(get),
  floats: chooseFloats(get),
  dataKeys: get(settings.dataKeys),
  indexKey: get(settings.indexKey),
  relay: chooseRelay(get),
  mailFrom: chooseSender(get),
  supportEmail: chooseSupport(get),
  dashboardUrl: get(settings.dashboardUrl),
  issuer: chooseIssuer(get),
  anchorFile: chooseAnchor(get),
  readerUrl: chooseReader(get),
  ledger: chooseLedgerProof(get),
  archiveFolder: get(settings.archive),
  egress: chooseEgress(get),
}));
const { own, mode, clock, failpoint, logger, metrics, metricsPort, pool, enginePool, endPools } = begun;
const { wakes, wakeUps, tracer, health, measurePool } = begun;
const { meter } = metrics;
const transport = own.relay === null ? null : openMailTransport(own.relay);
const sender = await startJobSender(enginePool, logger, wakes);
const encryptor = createEncryptor(own.dataKeys);
const reader = openWorkerReader(own.readerUrl, logger);
const gauges = startWorkerGauges({ ...own, meter, logger, clock, pool, measurePool });
const { mailFrom, supportEmail } = own;
const outbox = openOutbox({ jobs: sender, encryptor, clock, mailFrom, supportEmail });
const { handlers, payouts, notifyAdmins } = composeWorker({
  ...own,
  clock,
  logger,
  meter,
  pool,
  failpoint,
  transport,
  outbox,
  jobs: sender,
  wakes,
  verification:
    reader === null || own.ledger === null
      ? null
      : {
          reader,
          ...own.ledger,
          archiveStore: own.archiveFolder === null ? null : createDirectoryStore(own.archiveFolder),
        },
});
const heartbeat = await startWorkerHeartbeat({ ...payouts, anchorFile: own.anchorFile }, () =>
  health.watch('heartbeat'),
);
const jobs = await startJobWorker({ enginePool, logger, wakeUps, onRound: health.watch('jobs') }, handlers);
const sweep = startSweep({ ...payouts, wakeUps, tracer, onRound: health.watch('sweep') });
const numbering = startNumbering({ ...payouts, wakes, wakeUps, onRound: health.watch('numbering') });
const egress = createEgress(own.egress);
const delivering = startDelivering({
  ...payouts,
  pool,
  wakeUps,
  tracer,
  egress,
  events: createEventReader({ ...payouts, payouts: describePayoutVersions(payouts.calls) }),
  notifyAdmins,
  dashboardUrl: own.dashboardUrl,
  metrics: createDeliveryMetrics(meter),
  onRound: health.watch('delivering'),
});
health.started();
stopOnSignal(logger, async () => {
  await Promise.all([
    jobs.stop(finishJobsWithinMs),
    sweep.stop(),
    numbering.stop(),
    delivering.stop(),
    heartbeat.stop(),
    gauges.stop(),
  ]);
  await egress.close();
  transport?.close();
  await sender.stop();
  await reader?.end();
  await endPools();
  await tracer.stop();
  await metrics.close();
});
logger.info({ mode, metrics_port: metricsPort }, 'worker.working');
