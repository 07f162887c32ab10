// When an open payout is looked at next. A webhook brings that forward to now; without one, these alone must do.

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** A caller's own bank calls end within 8 s; whoever has not finished by then has crashed. */
export const leaseMs = 8.5 * second;

/** The bank replays a repeated order for 24 h. Past this, one is never sent again by itself. */
export const sendAgainWithinMs = 23 * hour;

const retriesMs = [2 * second, 5 * second, 15 * second, minute, 5 * minute, 15 * minute];

/** When the bank is asked again whether it has an order whose fate we do not know. */
export function nextRetry(now: Date, attempts: number): Date {
  return new Date(now.getTime() + (retriesMs[attempts - 1] ?? hour));
}

/** How long a payment of this age may go unlooked at. Most arrive within minutes, some within hours. */
const looksMs = [
  { untilAge: minute, every: 15 * second },
  { untilAge: 10 * minute, every: minute },
  { untilAge: 24 * hour, every: 4 * minute },
];

export function nextLook(now: Date, createdAt: Date): Date {
  const age = now.getTime() - createdAt.getTime();
  const every = looksMs.find(({ untilAge }) => age < untilAge)?.every ?? hour;
  return new Date(now.getTime() + every);
}

/** The simulated rail says beforehand when a payment arrives. */
export const simulatedArrivalMs = 3 * second;
