// npm run alerts:trial [-- --only ALERT | --clean MINUTES]: faults on a running Kelpie, one after another, each of which must
// fire its own alert and no other, through a real Prometheus and Alertmanager into a local webhook. Closes with a JSON line.
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt } from '@kelpie/dev/json.ts';
import { askServer } from '@kelpie/dev/monitoring/servers.ts';
import type { ReceivedAlert } from './alert-receiver.ts';
import { trialFaults, type TrialFault } from './faults.ts';
import { startTrialStage, type TrialStage } from './stage.ts';

/** Every duration of the rules and routes is divided by it. More, and the heartbeat's own 10 seconds would count as late. */
const factor = 4;
const fireWithinMs = 6 * 60_000;
/** Longer than Alertmanager holds a group back: what follows from the fault has time to show. */
const watchMs = 30_000;
const quietWithinMs = 8 * 60_000;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    clean: { type: 'string' },
    rate: { type: 'string' },
  },
});
const startedAt = performance.now();
const say = (text: string): void =>
  console.error(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(5)} s  ${text}`);

const isHeartbeat = ({ name }: ReceivedAlert): boolean => name === 'Watchdog';

/** What Alertmanager would send now: neither held back nor the heartbeat. */
async function listActive({ alertmanagerUrl }: TrialStage): Promise<string[]> {
  const url = `${alertmanagerUrl}/api/v2/alerts?active=true&inhibited=false&silenced=false`;
  const alerts = listAt({ alerts: await askServer(url) }, 'alerts');
  return alerts
    .filter((alert) => !['heartbeat', 'none'].includes(textAt(alert, 'labels.severity')))
    .map((alert) => textAt(alert, 'labels.alertname'));
}

/** In Prometheus as well: what is about to fire belongs to the fault that was. */
async function isQuiet(stage: TrialStage): Promise<boolean> {
  const query = encodeURIComponent('ALERTS{severity=~"page|ticket",alertname!~".*Burn|.*BurnSlow"}');
  const pending = listAt(await askServer(`${stage.prometheusUrl}/api/v1/query?query=${query}`), 'data.result');
  return pending.length === 0 && (await listActive(stage)).length === 0;
}

async function untilQuiet(stage: TrialStage): Promise<void> {
  await eventually('nothing fires', async () => isQuiet(stage), quietWithinMs).catch(async (error: unknown) => {
    throw new Error(`still fires: ${(await listActive(stage)).join(', ')}`, { cause: error });
  });
}

interface Outcome {
  hasFired: boolean;
  others: readonly string[];
}

async function tryFault(stage: TrialStage, fault: TrialFault): Promise<Outcome> {
  await untilQuiet(stage);
  const { received } = stage.alerts;
  const before = received.length;
  const began = performance.now();
  await fault.begin(stage);
  const own = await eventually(
    `${fault.alert} fires`,
    async () => received.slice(before).find(({ name, status }) => name === fault.alert && status === 'firing'),
    fireWithinMs,
  ).catch(() => undefined);
  const firedMs = performance.now() - began;
  await wait(watchMs);
  await fault.end(stage);
  await untilQuiet(stage);
  const others = received
    .slice(before)
    .filter((alert) => alert.status === 'firing' && !isHeartbeat(alert) && alert.name !== fault.alert);
  const hasFired = own?.receiver === fault.receiver;
  const seen = hasFired
    ? `fired ${fault.alert} after ${(firedMs / 1_000).toFixed(0)} s`
    : `did NOT fire ${fault.alert}`;
  const besides = others.length === 0 ? 'no other' : `OTHERS: ${others.map(({ name }) => name).join(', ')}`;
  say(
    `${fault.name}: ${seen}, ${besides}; resolved ${((performance.now() - began) / 1_000).toFixed(0)} s after it began`,
  );
  return { hasFired, others: others.map(({ name }) => name) };
}

async function runFaults(stage: TrialStage, faults: readonly TrialFault[]): Promise<boolean> {
  const outcomes: Outcome[] = [];
  for (const fault of faults) outcomes.push(await tryFault(stage, fault));
  const { received } = stage.alerts;
  const isResolved = ({ alert }: TrialFault): boolean =>
    received.some(({ name, status }) => name === alert && status === 'resolved');
  // A group tells of an end at its next interval.
  await eventually('all ends are sent', async () => faults.every(isResolved), 3 * 60_000).catch(() => undefined);
  const fired = outcomes.filter(({ hasFired }) => hasFired).length;
  const others = outcomes.flatMap((outcome) => outcome.others).length;
  const resolved = faults.filter(isResolved).length;
  console.log(JSON.stringify({ faults: faults.length, fired, others, resolved, durations_divided_by: factor }));
  return fired === faults.length && others === 0 && resolved === faults.length;
}

async function runClean(stage: TrialStage, minutes: number): Promise<boolean> {
  const before = performance.now();
  await wait(minutes * 60_000);
  const fired = stage.alerts.received.filter((alert) => !isHeartbeat(alert)).map(({ name }) => name);
  const heartbeats = stage.alerts.received.filter(isHeartbeat).length;
  const { payouts, errors } = stage.payouts.figuresSince(before);
  console.log(
    JSON.stringify({ clean_minutes: minutes, payouts, errors, fired, heartbeats, durations_divided_by: factor }),
  );
  return fired.length === 0 && heartbeats > 0 && payouts > 0;
}

const cleanMinutes = options.clean === undefined ? null : Number(options.clean);
const chosen = trialFaults.filter(({ alert }) => options.only.length === 0 || options.only.includes(alert));
const payoutsPerSecond = Number(options.rate ?? (cleanMinutes === null ? '1' : '5'));
if (chosen.length === 0 || !(payoutsPerSecond > 0) || (cleanMinutes !== null && !(cleanMinutes > 0))) {
  console.error('Usage: npm run alerts:trial -- [--only ALERT]… [--clean MINUTES] [--rate PAYOUTS_PER_SECOND]');
  process.exit(2);
}

const ends: (() => Promise<unknown>)[] = [];
async function endAll(): Promise<void> {
  for (const end of ends.splice(0).toReversed()) await end().catch((error: unknown) => say(`ending: ${String(error)}`));
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void endAll().finally(() => process.exit(130)));
let isGood = false;
try {
  const stage = await startTrialStage({ atEnd: (end) => void ends.push(end), factor, payoutsPerSecond });
  say(`started; Prometheus is ${stage.prometheusUrl}; every duration of rules and routes is divided by ${factor}`);
  const isPaying = async (): Promise<boolean> => stage.payouts.figuresSince(0).payouts > 0;
  await eventually('payouts are accepted', isPaying).catch(() => {
    throw new Error(`no payout is accepted: ${stage.payouts.firstError() ?? 'no answer'}`);
  });
  // What Prometheus sent before it knew its Alertmanager, it sends again after a minute.
  await eventually('the first heartbeat arrives', async () => stage.alerts.received.some(isHeartbeat), 150_000);
  isGood = cleanMinutes === null ? await runFaults(stage, chosen) : await runClean(stage, cleanMinutes);
} finally {
  await endAll();
}
process.exit(isGood ? 0 : 1);
