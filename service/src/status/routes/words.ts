import type { Component, Level } from '../components.ts';

export const componentNames: Readonly<Record<Component, { name: string; about: string }>> = {
  api: { name: 'API', about: 'Requests to the API' },
  payouts: { name: 'Payouts', about: 'Creating and completing live payouts' },
  bank: { name: 'Bank', about: 'Our connection to the bank' },
  webhooks: { name: 'Webhooks', about: 'Events sent to your servers' },
  dashboard: { name: 'Dashboard', about: 'Signing in and working in the dashboard' },
};

export const levelNames: Readonly<Record<Level, string>> = {
  operational: 'Operational',
  maintenance: 'Maintenance',
  degraded: 'Degraded',
  outage: 'Outage',
};

const instantForm = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});
const dayForm = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

/** As in "18 November 2026, 12:03 UTC". */
export function instantText(at: Date): string {
  return `${instantForm.format(at).replace(' at ', ', ')} UTC`;
}

/** As in "18 November 2026". */
export function dayText(day: string): string {
  return dayForm.format(new Date(`${day}T00:00:00Z`));
}

/** As in "1 hour 5 minutes". */
export function durationText(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  const texts = [
    ...(hours > 0 ? [`${hours} ${hours === 1 ? 'hour' : 'hours'}`] : []),
    ...(rest > 0 || hours === 0 ? [`${rest} ${rest === 1 ? 'minute' : 'minutes'}`] : []),
  ];
  return texts.join(' ');
}
