import path from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { startChild } from '@kelpie/dev/child-process.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { findPort } from '@kelpie/dev/free-port.ts';
import { testSecrets } from '../test/harness/secrets.ts';

export interface MeasuredApi {
  pid: number;
  port: number;
  stop(): Promise<unknown>;
}

/** Another program that serves the same way, or other settings. */
interface MeasuredProgram {
  file: string;
  args: string[];
  env: Readonly<Record<string, string>>;
}

/** Whoever measures is one key that floods. What a limit costs is still paid: it is asked at every request. */
const noLimits = {
  KELPIE_REQUESTS_PER_SECOND: '1000000',
  KELPIE_REQUESTS_BURST: '1000000',
  KELPIE_PAYOUTS_PER_SECOND: '1000000',
  KELPIE_PAYOUTS_BURST: '1000000',
};

/** One real api process. Every other setting that has a default keeps it, that of the log's level too. */
export async function startMeasuredApi(
  serviceUrl: string,
  { file = 'service/src/app/api.ts', args = [], env = {} }: Partial<MeasuredProgram> = {},
): Promise<MeasuredApi> {
  const port = await findPort();
  const folder = await mkdtemp(path.join(tmpdir(), 'kelpie-bench-'));
  const child = startChild({
    name: 'api',
    file,
    args,
    env: {
      KELPIE_MODE: 'development',
      KELPIE_DATABASE_URL: serviceUrl,
      KELPIE_API_PORT: String(port),
      KELPIE_METRICS_PORT: '0',
      KELPIE_PUBLIC_URL: 'https://api.kelpie.test',
      KELPIE_MAIL_FROM: 'Kelpie <no-reply@kelpie.example>',
      KELPIE_SUPPORT_EMAIL: 'support@kelpie.example',
      KELPIE_DRAIN_DELAY_MS: '0',
      KELPIE_HEARTBEAT_ANCHOR: path.join(folder, 'heartbeat'),
      ...noLimits,
      ...testSecrets,
      ...env,
    },
    unheard: true,
  });
  let ended = false;
  void child.exited.then(() => {
    ended = true;
  });
  await eventually('the api is ready', async () => {
    if (ended) throw new Error(`the api ended: ${child.output()}`);
    const { ok } = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => ({ ok: false }));
    return ok;
  });
  return {
    pid: child.pid,
    port,
    async stop() {
      await child.stop();
      await rm(folder, { recursive: true });
    },
  };
}
