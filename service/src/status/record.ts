import { Type, type Static } from 'typebox';
import { Check } from 'typebox/value';
import { components, levels } from './components.ts';

const Component = Type.Enum(components);
const Level = Type.Enum(levels);
const Instant = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T[\\d:.]+(Z|[+-]\\d{2}:\\d{2})$' });
const Count = Type.Integer({ minimum: 0 });

const Signals = Type.Object({
  rail_blocked: Type.Boolean(),
  waiting: Count,
  at_bank: Count,
  overdue: Count,
  webhook_delay: Count,
  event_delay: Count,
});

const Day = Type.Object({
  day: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
  component: Component,
  minutes: Count,
  degraded: Count,
  outage: Count,
  maintenance: Count,
});

const Incident = Type.Object({
  id: Type.String(),
  title: Type.String(),
  impact: Level,
  components: Type.Array(Component),
  opened_at: Instant,
  resolved_at: Type.Union([Instant, Type.Null()]),
  /** The newest first. */
  updates: Type.Array(Type.Object({ at: Instant, text: Type.String() })),
});

/** As kelpie.read_status returns it, and as the file keeps it. */
const StatusRecord = Type.Object({
  minute: Type.Union([Instant, Type.Null()]),
  now: Type.Object({ api: Level, payouts: Level, bank: Level, webhooks: Level, dashboard: Level }),
  signals: Signals,
  days: Type.Array(Day),
  incidents: Type.Array(Incident),
});

export type Signals = Static<typeof Signals>;
export type Day = Static<typeof Day>;
export type Incident = Static<typeof Incident>;
export type StatusRecord = Static<typeof StatusRecord>;

export function isStatusRecord(value: unknown): value is StatusRecord {
  return Check(StatusRecord, value);
}
