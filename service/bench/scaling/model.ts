import { limits, type Assumptions } from './assumptions.ts';
import type { Figures } from './figures.ts';

/** What ends first in a cell, or at one partner, as the rate grows. Rates are of payouts per second at the peak. */
export interface Bound {
  stage: string;
  perSecond: number;
  /** Whether it is one partner's, which more cells don't help. */
  ofPartner: boolean;
  because: string;
}

const daySeconds = 86_400;
const microseconds = 1e6;

function round(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en-GB');
}

/** What one process can follow: by its core, and by the calls at the bank that it may have under way. */
function processRates(figures: Figures, { use, bankSeconds }: Assumptions) {
  return {
    api: Math.min(use / figures.apiSeconds, limits.bankCallsOfProcess / (figures.bankCallsOfApi * bankSeconds)),
    worker: Math.min(
      use / figures.workerSeconds,
      limits.payoutsInHandOfWorker / (figures.bankCallsOfWorker * bankSeconds),
    ),
  };
}

/** Payouts of a whole day, for each payout per second at the peak. */
function payoutsOfDay({ averageToPeak }: Assumptions): number {
  return daySeconds * averageToPeak;
}

export function boundsOf(figures: Figures, assumed: Assumptions): Bound[] {
  const rates = processRates(figures, assumed);
  const connectionsEach = limits.connectionsOfApi / rates.api + limits.connectionsOfWorker / rates.worker;
  const { nightSeconds, use } = assumed;
  return [
    {
      stage: 'Verification',
      perSecond:
        nightSeconds / (figures.verifySecondsOfEntry * figures.entries * limits.daysOfNight * payoutsOfDay(assumed)),
      ofPartner: false,
      because: `one worker at a time, ${round(figures.verifySecondsOfEntry * microseconds)} µs per entry; a night reads ${limits.daysOfNight} days of ${figures.entries} entries per payout, in ${nightSeconds / 3_600} hours`,
    },
    {
      stage: 'Connections',
      perSecond: limits.connections / connectionsEach,
      ofPartner: false,
      because: `${limits.connections} for processes; an api has ${limits.connectionsOfApi} and carries ${round(rates.api)} payouts per second, a worker ${limits.connectionsOfWorker} and ${round(rates.worker)}`,
    },
    {
      stage: 'Database cores',
      perSecond: (assumed.databaseCores * use) / figures.databaseSeconds,
      ofPartner: false,
      because: `${round(figures.databaseSeconds * microseconds)} µs per payout, ${assumed.databaseCores} cores, ${use * 100}% used`,
    },
    {
      stage: 'Numbering of events',
      perSecond: use / figures.numberingSeconds,
      ofPartner: false,
      because: `one worker at a time, ${round(figures.numberingSeconds * microseconds)} µs per payout, ${use * 100}% of the time`,
    },
    {
      stage: 'Reconciliation',
      perSecond: nightSeconds / (figures.reconcileSeconds * payoutsOfDay(assumed)),
      ofPartner: false,
      because: `one worker at a time, ${round(figures.reconcileSeconds * microseconds)} µs per payout, in ${nightSeconds / 3_600} hours`,
    },
    {
      stage: 'WAL',
      perSecond: (assumed.walMegabytesPerSecond * 1e6 * use) / figures.walBytes,
      ofPartner: false,
      because: `${round(figures.walBytes / 1_000)} kB per payout, ${assumed.walMegabytesPerSecond} MB/s of disk, ${use * 100}% used`,
    },
    {
      stage: 'One webhook endpoint',
      perSecond: limits.attemptsOfEndpoint / assumed.receiverSeconds / figures.webhooks,
      ofPartner: true,
      because: `${limits.attemptsOfEndpoint} attempts at once, ${assumed.receiverSeconds * 1_000} ms each, ${figures.webhooks} per payout`,
    },
    {
      stage: 'One wallet',
      perSecond: 1 / figures.walletSeconds,
      ofPartner: true,
      because: `locked for ${round(figures.walletSeconds * microseconds)} µs per payout in commits of ${limits.batchSize}`,
    },
  ];
}

/** What a cell can take as it is, and what ends first. */
export function firstBound(bounds: readonly Bound[]): Bound {
  return bounds
    .filter(({ ofPartner }) => !ofPartner)
    .reduce((least, bound) => (bound.perSecond < least.perSecond ? bound : least));
}

export interface Plan {
  perSecond: number;
  cells: number;
  first: Bound;
  apiProcesses: number;
  workerProcesses: number;
  connectionsOfCell: number;
  /** With the standbys; their cores are there to take over. */
  databaseMachines: number;
  /** Provisioned, of all machines. */
  cores: number;
  /** Used at the peak. */
  coresUsed: number;
  walMegabytesPerSecond: number;
  bankCallsAtOnce: number;
  millionPayoutsOfYear: number;
  /** US dollars for a million payouts at the average rate, but for what they leave on disk. */
  costOfMillion: number;
}

const yearSeconds = 365 * daySeconds;

/** How much is needed for so many payouts a second at the peak. */
export function planFor(perSecond: number, figures: Figures, assumed: Assumptions): Plan {
  const first = firstBound(boundsOf(figures, assumed));
  const cells = Math.max(1, Math.ceil(perSecond / first.perSecond));
  const ofCell = perSecond / cells;
  const rates = processRates(figures, assumed);
  // Two of each: one may fail, or be deployed.
  const [apis, workers] = [Math.max(2, Math.ceil(ofCell / rates.api)), Math.max(2, Math.ceil(ofCell / rates.worker))];
  const neededCores = Math.ceil((ofCell * figures.databaseSeconds) / assumed.use);
  const cores = cells * (apis + workers + assumed.databaseNodes * Math.max(2, neededCores));
  const average = perSecond * assumed.averageToPeak;
  return {
    perSecond,
    cells,
    first,
    apiProcesses: cells * apis,
    workerProcesses: cells * workers,
    connectionsOfCell: apis * limits.connectionsOfApi + workers * limits.connectionsOfWorker,
    databaseMachines: cells * assumed.databaseNodes,
    cores,
    coresUsed: perSecond * (figures.apiSeconds + figures.workerSeconds + figures.databaseSeconds),
    walMegabytesPerSecond: (perSecond * figures.walBytes) / 1e6,
    bankCallsAtOnce: perSecond * (figures.bankCallsOfApi + figures.bankCallsOfWorker) * assumed.bankSeconds,
    millionPayoutsOfYear: (average * yearSeconds) / 1e6,
    costOfMillion: ((cores * assumed.prices.coreHour) / (average * 3_600)) * 1e6,
  };
}
