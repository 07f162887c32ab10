// What the status page of an api process is made of.
import type { Clock } from '../../platform/clock.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { Logger } from '../../platform/logging.ts';
import { createCircuitWatch, createStatusWatch, type StatusWatch } from '../../status/index.ts';
import { createStatusPages, type StatusPages } from '../../status/routes/status-routes.ts';
import type { OnCircuit } from './banks.ts';

interface StatusDeps {
  calls: SingleCalls;
  clock: Clock;
  logger: Logger;
  supportEmail: string;
  statusFile: string | null;
}

interface OpenStatus {
  statusPages: StatusPages;
  onLiveCircuit: OnCircuit;
  /** Resolves once the page can be served. */
  startStatus: (has: { hasDashboard: boolean }) => Promise<Pick<StatusWatch, 'stop'>>;
}

export function openStatus({ supportEmail, statusFile: file, ...deps }: StatusDeps): OpenStatus {
  const { onCircuit, isBankSilent } = createCircuitWatch();
  const statusPages = createStatusPages({ clock: deps.clock, supportEmail });
  return {
    statusPages,
    onLiveCircuit: onCircuit,
    async startStatus({ hasDashboard }) {
      const own = (): { isBankSilent: boolean; hasDashboard: boolean } => ({
        isBankSilent: isBankSilent(),
        hasDashboard,
      });
      const watch = createStatusWatch({ ...deps, file, own });
      await watch.start(statusPages.update);
      return watch;
    },
  };
}
