import { byComponent, worstOf, type Component, type Level } from './components.ts';
import type { Incident, Signals } from './record.ts';

/** The state of a component, and what partners should know about it. */
export interface Judged {
  level: Level;
  note: string | null;
}

/** What only this process knows. */
export interface OwnSignals {
  /** Calls to the live bank failed in the last minute, so that none are made for now. */
  isBankSilent: boolean;
  /** This process serves the dashboard, or it is served elsewhere. */
  hasDashboard: boolean;
}

const fine: Judged = { level: 'operational', note: null };

const lateSeconds = { degraded: 2 * 60, outage: 15 * 60 };
/** Fewer may wait for reasons of their own. */
const severalPayouts = 3;

function judgePayouts(signals: Signals, isBankSilent: boolean): Judged {
  if (signals.rail_blocked) return { level: 'outage', note: 'Live payouts are paused. No money moves meanwhile.' };
  if (isBankSilent)
    return { level: 'outage', note: 'The bank does not answer, so new payouts are refused. No money moves meanwhile.' };
  const isLate = signals.waiting >= severalPayouts || signals.overdue > 0;
  return isLate ? { level: 'degraded', note: 'Some payouts take longer than usual.' } : fine;
}

function judgeBank({ at_bank }: Signals, isBankSilent: boolean): Judged {
  if (isBankSilent) return { level: 'outage', note: 'The bank does not answer.' };
  return at_bank >= severalPayouts
    ? { level: 'degraded', note: 'The bank takes longer than usual to complete payments.' }
    : fine;
}

function judgeWebhooks({ webhook_delay, event_delay }: Signals): Judged {
  const delay = Math.max(webhook_delay, event_delay);
  if (delay <= lateSeconds.degraded) return fine;
  const minutes = Math.floor(delay / 60);
  const note = `Webhooks are up to ${minutes} minutes late. None is lost.`;
  return { level: delay > lateSeconds.outage ? 'outage' : 'degraded', note };
}

/** Nothing is known of the database. */
export const noSignals: Signals = {
  rail_blocked: false,
  waiting: 0,
  at_bank: 0,
  overdue: 0,
  webhook_delay: 0,
  event_delay: 0,
};

/** What is measured while the database answers: then this process serves. */
export function judge(signals: Signals, own: OwnSignals): Record<Component, Judged> {
  return {
    api: fine,
    payouts: judgePayouts(signals, own.isBankSilent),
    bank: judgeBank(signals, own.isBankSilent),
    webhooks: judgeWebhooks(signals),
    dashboard: own.hasDashboard ? fine : { level: 'outage', note: 'The dashboard is not available.' },
  };
}

const withoutDatabase: Readonly<Record<Exclude<Component, 'bank'>, string>> = {
  api: 'We cannot save changes. Requests may be answered with 503. Retry them with the same Idempotency-Key.',
  payouts: 'New payouts are refused. Payouts in progress continue afterwards, and none is sent twice.',
  webhooks: 'Webhooks wait. All of them are sent afterwards.',
  dashboard: 'You cannot sign in or load data.',
};

/** What holds while no write is confirmed. Of the bank, what was known last. */
export function judgeWithoutDatabase({ bank }: Record<Component, Judged>): Record<Component, Judged> {
  return byComponent((component) =>
    component === 'bank' ? bank : { level: 'outage', note: withoutDatabase[component] },
  );
}

/**
 * An open incident can only make it worse than measured: no one writes an outage away. Maintenance is the exception, because it
 * explains what is measured.
 */
export function withIncidents(
  measured: Record<Component, Judged>,
  incidents: readonly Incident[],
): Record<Component, Judged> {
  const open = incidents.filter(({ resolved_at }) => resolved_at === null);
  return byComponent((component) => {
    const impacts = open.filter((one) => one.components.includes(component)).map(({ impact }) => impact);
    const own = measured[component];
    const counted: Judged = impacts.includes('maintenance') ? fine : own;
    return { level: worstOf([counted.level, ...impacts]), note: counted.note };
  });
}
