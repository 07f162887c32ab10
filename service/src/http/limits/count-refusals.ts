import type { Logger } from '../../platform/logging.ts';

const everyMs = 60_000;

/** Reports the first refusal at once and those of each minute after it together: a flood must not write a line each. */
export function countRefusals(logger: Pick<Logger, 'warn'>, action: string): () => void {
  let requests = 0;
  let timer: NodeJS.Timeout | undefined;
  const report = (): void => {
    timer = undefined;
    if (requests === 0) return;
    logger.warn({ action, requests }, 'requests.refused');
    requests = 0;
    timer = setTimeout(report, everyMs).unref();
  };
  return () => {
    requests += 1;
    if (timer === undefined) report();
  };
}
