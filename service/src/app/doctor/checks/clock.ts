import type { Clock } from '../../../platform/clock.ts';
import { read, type DoctorDeps } from '../deps.ts';
import { ok, problem, type Check, type Finding } from '../finding.ts';
import type { BankProbes } from './banks.ts';

/** A bank's header has whole seconds, and each answer takes a moment. */
const mostSkewMs = 5_000;

interface Timed<Value> {
  value: Value;
  /** Our time halfway through the question. */
  at: number;
}

async function timed<Value>(clock: Clock, ask: () => Promise<Value>): Promise<Timed<Value>> {
  const before = clock.now().getTime();
  const value = await ask();
  return { value, at: (before + clock.now().getTime()) / 2 };
}

function judge(whose: string, date: Date, at: number): Finding {
  const skewMs = date.getTime() - at;
  if (Math.abs(skewMs) <= mostSkewMs) return ok(`This machine and ${whose} have the same time.`);
  const apart = `${(Math.abs(skewMs) / 1_000).toFixed(0)} s ${skewMs > 0 ? 'behind' : 'ahead of'}`;
  return problem(`This machine's clock is ${apart} ${whose}. Check time synchronisation on both (chronyc tracking).`);
}

async function judgeDatabase(deps: DoctorDeps): Promise<Finding> {
  const { value, at } = await timed(deps.clock, async () =>
    read(deps, async (tx) => {
      const { rows } = await tx.query<{ now: Date }>('select clock_timestamp() as now');
      return rows[0]?.now ?? null;
    }),
  );
  if (value === null) throw new Error('the database has no time');
  return judge('the database', value, at);
}

async function judgeBanks({ clock }: DoctorDeps, probes: BankProbes, signal: AbortSignal): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const environment of ['sandbox', 'live'] as const) {
    const { value, at } = await timed(clock, async () => probes.probe(environment, signal));
    if (value === null || value.kind === 'unreachable' || value.date === null) continue;
    findings.push(judge(`the ${environment} bank`, value.date, at));
  }
  return findings;
}

export function checkClock(deps: DoctorDeps, probes: BankProbes): Check {
  return {
    name: 'clock',
    run: async (signal) => [await judgeDatabase(deps), ...(await judgeBanks(deps, probes, signal))],
  };
}
