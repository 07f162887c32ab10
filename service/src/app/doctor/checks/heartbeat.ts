import { duration } from '../../../platform/duration.ts';
import { read, type DoctorDeps } from '../deps.ts';
import { ok, problem, type Check } from '../finding.ts';

/** A worker raises it every ten seconds. */
const longestSilenceSeconds = 60;

export function checkHeartbeat(deps: DoctorDeps): Check {
  return {
    name: 'worker heartbeat',
    async run() {
      const { rows } = await read(deps, async (tx) => tx.query<{ at: Date | null }>('select at from kelpie.heartbeat'));
      const at = rows[0]?.at ?? null;
      if (at === null)
        return [problem('No worker has ever raised the heartbeat. Start one, with KELPIE_HEARTBEAT_ANCHOR.')];
      const seconds = (deps.clock.now().getTime() - at.getTime()) / 1_000;
      return seconds > longestSilenceSeconds
        ? [problem(`No worker has raised the heartbeat for ${duration(seconds)}. Start one, or read its log.`)]
        : [ok(`A worker raised the heartbeat ${duration(Math.max(0, seconds))} ago.`)];
    },
  };
}
