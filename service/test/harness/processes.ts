import { after } from 'node:test';
import { startChild, type Child } from '@kelpie/dev/child-process.ts';
import type { MailInbox } from '@kelpie/dev/mail/inbox.ts';
import type { TestDatabase } from './database.ts';
import { testSecrets } from './secrets.ts';

interface ProcessOptions {
  database: Pick<TestDatabase, 'serviceUrl'>;
  /** Settings that differ from the usual ones. */
  env?: Readonly<Record<string, string>>;
  /** Where mails go. Without it, they wait. */
  mail?: Pick<MailInbox, 'smtpPort'>;
  /** Who is told how to end it. Without it, that is the end of the test file. */
  atEnd?: (end: () => Promise<unknown>) => void;
}

export interface ApiProcess extends Child {
  url: string;
  metricsUrl: string;
}

/** What a test asks in a second is no flood. */
const noLimits = {
  KELPIE_REQUESTS_PER_SECOND: '1000000',
  KELPIE_REQUESTS_BURST: '1000000',
  KELPIE_PAYOUTS_PER_SECOND: '1000000',
  KELPIE_PAYOUTS_BURST: '1000000',
  KELPIE_OPEN_REQUESTS_PER_MINUTE: '1000000',
  KELPIE_INVITATIONS_PER_DAY: '1000000',
  KELPIE_SIGN_UPS_PER_HOUR: '1000000',
  KELPIE_UNVERIFIED_INVITATIONS_PER_DAY: '1000000',
};

/** Takes that back, for tests of the limits themselves: what is empty is as if it were not set. */
export const defaultLimits = Object.fromEntries(Object.keys(noLimits).map((variable) => [variable, '']));

/** Whom the mails of every process that a test starts are from. */
const mailFrom = 'Kelpie <no-reply@kelpie.example>';

function commonEnv({ database, mail, env }: ProcessOptions): Record<string, string> {
  return {
    KELPIE_MODE: 'development',
    KELPIE_DATABASE_URL: database.serviceUrl,
    KELPIE_METRICS_PORT: '0',
    KELPIE_DRAIN_DELAY_MS: '0',
    KELPIE_SMTP_URL: mail === undefined ? 'none' : `smtp://127.0.0.1:${mail.smtpPort}`,
    KELPIE_MAIL_FROM: mailFrom,
    KELPIE_EGRESS_ALLOW: '127.0.0.0/8',
    ...testSecrets,
    ...env,
  };
}

/** A machine that is busy with other tests may take long to start one more process. */
const startTimeoutMs = 60_000;

interface Program {
  name: string;
  file: string;
  env: Readonly<Record<string, string>>;
}

function startUntilDone(program: Program, { atEnd = after }: ProcessOptions): Child {
  const child = startChild(program);
  atEnd(async () => child.stop());
  return child;
}

/** A real api process on a free port, ended with the test file. */
export async function startApi(options: ProcessOptions): Promise<ApiProcess> {
  const env = { KELPIE_API_PORT: '0', KELPIE_PUBLIC_URL: 'http://api.kelpie.test', ...noLimits, ...commonEnv(options) };
  const child = startUntilDone({ name: 'api', file: 'service/src/app/api.ts', env }, options);
  const { port, metrics_port: metricsPort } = await child.waitForEvent('api.listening', startTimeoutMs);
  return {
    ...child,
    url: `http://127.0.0.1:${String(port)}`,
    metricsUrl: `http://127.0.0.1:${String(metricsPort)}/metrics`,
  };
}

/** One that is to be killed as soon as it works may not live to say that it does. */
function isToDie(env: Readonly<Record<string, string>> = {}): boolean {
  return 'KELPIE_TEST_FAILPOINT' in env;
}

/** A real worker process, ended with the test file. `file` is another program that works the same way. */
export async function startWorker(options: ProcessOptions & { file?: string }): Promise<Child> {
  const file = options.file ?? 'service/src/app/worker.ts';
  const child = startUntilDone({ name: 'worker', file, env: commonEnv(options) }, options);
  if (!isToDie(options.env)) await child.waitForEvent('worker.working');
  return child;
}
