import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { verifyNightly } from '../src/app/verification/verify-nightly.ts';
import { systemClock } from '../src/platform/clock.ts';
import { openPool, type Pool } from '../src/platform/database/pool.ts';
import { createLogger } from '../src/platform/logging.ts';

/** The first night closes every day there is; the ones after it are as every night is. */
const nightsAfter = 3;

/** A verification: the first of all there is, and then of a night. */
interface VerifiedNight {
  entries: number;
  seconds: number;
  differences: number;
}

/** How long verification takes. */
export async function* measureVerification({
  readerUrl,
  serviceUrl,
}: {
  readerUrl: string;
  serviceUrl: string;
}): AsyncGenerator<VerifiedNight, undefined> {
  const logger = createLogger('bench', 'silent');
  const open = (url: string): Pool =>
    openPool({ url, connections: 1, applicationName: 'bench', logger, pace: 'unhurried' });
  const [reader, pool] = [open(readerUrl), open(serviceUrl)];
  const anchorFile = path.join(tmpdir(), `kelpie-anchors-${process.pid}`);
  const deps = { reader, pool, clock: systemClock, logger, key: Buffer.alloc(32, 1), anchorFile, archiveStore: null };
  try {
    for (let night = 0; night <= nightsAfter; night += 1) {
      const beganAt = performance.now();
      const { differences, entries } = await verifyNightly(deps, new AbortController().signal);
      yield { entries, seconds: (performance.now() - beganAt) / 1_000, differences };
    }
  } finally {
    await Promise.all([reader.end(), pool.end()]);
    rmSync(anchorFile, { force: true });
  }
}
