/** What was not measured here. Change a figure and run `npm run scaling`. */
export const assumptions = {
  /** Faster Payments in 2024: 161 payments a second on average, 493 at its last published peak. */
  averageToPeak: 161 / 493,
  /** How much of a machine is used at the peak, so that one that fails, or a busy minute, does not stop the rest. */
  use: 0.5,
  /** Of each node of a cell's database. */
  databaseCores: 16,
  /** The leader and two standbys (record 33). */
  databaseNodes: 3,
  /** What the volume of the write-ahead log can write. */
  walMegabytesPerSecond: 250,
  /** How long the bank takes to answer a call. */
  bankSeconds: 0.3,
  /** How long a partner's server takes to accept a webhook. */
  receiverSeconds: 0.1,
  /** Until the standby has a commit too. */
  standbySeconds: 0.001,
  /** For verification and reconciliation. */
  nightSeconds: 6 * 3_600,
  /** Core-hours and stored gigabytes of some provider, in US dollars. */
  prices: { coreHour: 0.04, diskGigabyteMonth: 0.1, archiveGigabyteMonth: 0.02 },
  /** Size of archived rows in compressed files, to their size in the database with indexes. */
  archiveRatio: 0.15,
  /** How many months stay in the database. */
  archiveAfterMonths: 13,
};

export type Assumptions = typeof assumptions;

/** What the code says: each with the file that has it. */
export const limits = {
  /** service/src/payouts/records/commits.ts, platform/micro-batch.ts */
  batchSize: 64,
  commitsUnderWay: 2,
  soonSeconds: 0.05,
  /** service/src/banks/bridge/call-limit.ts */
  bankCallsOfProcess: 128,
  /** service/src/payouts/lifecycle/sweep.ts */
  payoutsInHandOfWorker: 32,
  /** docs/deploying.md and deploy/cluster/patroni.yml; some are left for operators and backups. */
  connectionsOfApi: 13,
  connectionsOfWorker: 14,
  connections: 180,
  /** docs/webhooks.md: attempts at one endpoint at once. */
  attemptsOfEndpoint: 20,
  /** docs/ledger.md: a night reads its day and twelve earlier ones. */
  daysOfNight: 13,
};
