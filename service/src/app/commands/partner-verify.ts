import { InvalidArgumentError, type Command } from 'commander';
import {
  refreshStatus,
  refreshVerifications,
  recordStarted,
  planVerification,
  startAtBank,
  type AdminPartner,
} from '../../partners/index.ts';
import { dashboardPages } from '../../platform/dashboard-pages.ts';
import { noFailpoint } from '../../platform/failpoint.ts';
import { inTransaction, type Transaction } from '../../platform/database/transaction.ts';
import { isMailAddress } from '../../platform/configuration/mail-address.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { settings } from '../../platform/configuration/settings.ts';
import { chooseBanks, openBanks } from '../wiring/banks.ts';
import { withJobs } from '../wiring/with-jobs.ts';
import { getPartner } from './find-partner.ts';
import {
  writeCommand,
  runAudited,
  chosenSettings,
  doneAsJson,
  look,
  withOperator,
  describeDone,
  type WriteOptions,
  type OperatorDeps,
} from './run-command.ts';
import { print } from './printing.ts';
import { addHelp } from './help.ts';

interface VerifyOptions extends WriteOptions {
  email?: string;
}

function emailFrom(text: string): string {
  if (!isMailAddress(text)) throw new InvalidArgumentError('Use one email address, for example ada@acme.example.');
  return text;
}

/** One commit: the audit entry, the change, and the job in which a worker reads the status from the bank. */
async function write(
  deps: OperatorDeps,
  { partner, options, step }: { partner: AdminPartner; options: VerifyOptions; step: keyof typeof sentences },
  work: (tx: Transaction) => Promise<void>,
) {
  const context = { partnerId: partner.id, environment: 'sandbox' } as const;
  return withJobs(deps, async (jobs) =>
    runAudited({ ...deps, context }, options, async (tx) => {
      const written = await deps.record(tx, { action: 'partner.verify', subject: partner.id, detail: { step } });
      await work(tx);
      await jobs.enqueue(tx, refreshVerifications, {});
      return written;
    }),
  );
}

/** Calls the bank first, because no network call may run inside a transaction. A dry run does not call it. */
async function start(
  deps: OperatorDeps,
  { id: partnerId, slug }: AdminPartner,
  { email, dryRun }: VerifyOptions,
  standing: Parameters<typeof startAtBank>[2],
): Promise<(tx: Transaction) => Promise<void>> {
  if (email === undefined)
    throw new OperatorError(
      `${standing.newestId === null ? `The verification of ${slug} has not been started` : `The bank rejected ${slug}`}. Use --email ADDRESS to start a verification; the bank emails that person. An admin of ${slug} can also start it in the dashboard.`,
    );
  const { banks, dashboardUrl } = chosenSettings((get) => ({
    banks: chooseBanks(get),
    dashboardUrl: get(settings.dashboardUrl) ?? `${get(settings.publicUrl)}/dashboard`,
  }));
  const { provider_production: bank } = openBanks(banks, deps.clock, noFailpoint);
  if (bank === null)
    throw new OperatorError('No live bank is configured. Set KELPIE_LIVE_BANK_URL and KELPIE_LIVE_BANK_API_KEY.');
  if (dryRun) return async () => undefined;
  const redirectUrl = dashboardUrl + dashboardPages.compliance('live');
  const started = await startAtBank({ bank, clock: deps.clock }, { partnerId, email, redirectUrl }, standing);
  return async (tx) => recordStarted(tx, started);
}

const sentences = {
  refresh: (slug: string) => `A worker asks the bank for the verification status of ${slug}.`,
  start: (slug: string) => `Started the verification of ${slug}. The bank emails the address that you gave.`,
};

async function verify(slugOrId: string, options: VerifyOptions): Promise<void> {
  const { json, dryRun } = options;
  const partner = await look(async (tx) => getPartner(tx, slugOrId));
  const { id, slug } = partner;
  const { step, written } = await withOperator('service', async (deps) => {
    const partnerEnvironment = { partnerId: id, environment: 'sandbox' } as const;
    const plan = await inTransaction(deps.pool, partnerEnvironment, async (tx) => planVerification(tx, id));
    if (plan.kind === 'approved') throw new OperatorError(`${slug} is already verified.`, 'nothing_to_do');
    const work =
      plan.kind === 'refresh'
        ? async (tx: Transaction) => refreshStatus(tx, plan.id, deps.clock.now())
        : await start(deps, partner, options, plan.standing);
    return { step: plan.kind, written: await write(deps, { partner, options, step: plan.kind }, work) };
  });
  const sentence = `${sentences[step](slug)} Check with \`kelpie-admin partners show ${slug}\`.`;
  print({ json }, { id, slug, step, ...doneAsJson(dryRun, written) }, describeDone(sentence, dryRun, written));
}

export function addVerifyingPartners(partners: Command): void {
  addHelp(
    writeCommand(partners.command('verify'))
      .argument('<partner>', 'partner slug or id')
      .description(
        'Start a partner’s business verification, or refresh its status. Approval by the bank opens live. If a verification is in progress, a worker asks the bank for its status. Otherwise --email starts one.',
      )
      .option('--email <address>', 'to start a verification: the email address of the applicant', emailFrom)
      .action(verify),
    {
      example: 'kelpie-admin partners verify acme --email grace@acme.example',
      prints: 'Whether it started a verification or refreshed one, and the audit log entry.',
    },
  );
}
