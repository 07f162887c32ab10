/** What the status page is about, in its order. */
export const components = ['api', 'payouts', 'bank', 'webhooks', 'dashboard'] as const;
export type Component = (typeof components)[number];

/** The least bad first, as in the database. */
export const levels = ['operational', 'maintenance', 'degraded', 'outage'] as const;
export type Level = (typeof levels)[number];

export function worstOf(some: readonly Level[]): Level {
  return levels[Math.max(0, ...some.map((level) => levels.indexOf(level)))] ?? 'operational';
}

export function byComponent<Value>(valueOf: (component: Component) => Value): Record<Component, Value> {
  return {
    api: valueOf('api'),
    payouts: valueOf('payouts'),
    bank: valueOf('bank'),
    webhooks: valueOf('webhooks'),
    dashboard: valueOf('dashboard'),
  };
}
