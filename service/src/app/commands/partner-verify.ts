import { InvalidArgumentError, type Command } from 'commander';
import {
  askAgain,
  refreshVerifications,
  recordStarted,
  planVerification,
  startAtBank,
  type AdminPartner,
} from '../../partners/index.ts';
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
  doneAs,
  look,
  withOperator,
  sayDone,
  type WriteOptions,
  type OperatorDeps,
} from './run-command.ts';
import { print } from './printing.ts';
import { addHelp } from './help.ts';

interface VerifyOptions extends WriteOptions {
  email?: string;
}

function emailFrom(text: string): string {
  if (!isMailAddress(text)) throw new InvalidArgumentError('It is the address of one person, as ada@acme.example.');
  return text;
}

/** One commit: the note, what is written, and the job by which a worker reads from the bank how it stands. */
async function write(
  deps: OperatorDeps,
  { partner, options, step }: { partner: AdminPartner; options: VerifyOptions; step: 'ask' | 'start' },
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

/** The bank is asked before anything is written: it is never called inside a transaction. For a dry run it is not asked. */
async function start(
  deps: OperatorDeps,
  { id: partnerId, slug }: AdminPartner,
  { email, dryRun }: VerifyOptions,
  standing: Parameters<typeof startAtBank>[2],
): Promise<(tx: Transaction) => Promise<void>> {
  if (email === undefined)
    throw new OperatorError(
      `${standing.newestId === null ? `Nobody has started the verification of ${slug} yet` : `The bank said no to ${slug}`}. An admin of it starts one in the dashboard; or say --email ADDRESS, whom the bank then writes to.`,
    );
  const { banks, redirectUrl } = chosenSettings((get) => ({
    banks: chooseBanks(get),
    redirectUrl: get(settings.dashboardUrl) ?? get(settings.publicUrl),
  }));
  const { provider_production: bank } = openBanks(banks, deps.clock, noFailpoint);
  if (bank === null)
    throw new OperatorError('There is no live bank to ask: KELPIE_LIVE_BANK_URL and KELPIE_LIVE_BANK_API_KEY name it.');
  if (dryRun) return async () => undefined;
  const started = await startAtBank({ bank, clock: deps.clock }, { partnerId, email, redirectUrl }, standing);
  return async (tx) => recordStarted(tx, started);
}

const sentences = {
  ask: (slug: string) => `The bank is asked how far it is with ${slug}.`,
  start: (slug: string) => `The verification of ${slug} is started: the bank writes to the address that you named.`,
};

async function verify(slugOrId: string, options: VerifyOptions): Promise<void> {
  const { json, dryRun } = options;
  const partner = await look(async (tx) => getPartner(tx, slugOrId));
  const { id, slug } = partner;
  const { step, written } = await withOperator(options, 'service', async (deps) => {
    const partnerEnvironment = { partnerId: id, environment: 'sandbox' } as const;
    const plan = await inTransaction(deps.pool, partnerEnvironment, async (tx) => planVerification(tx, id));
    if (plan.kind === 'approved') throw new OperatorError(`${slug} is verified already.`, 'nothing_to_do');
    const work =
      plan.kind === 'ask'
        ? async (tx: Transaction) => askAgain(tx, plan.id, deps.clock.now())
        : await start(deps, partner, options, plan.standing);
    return { step: plan.kind, written: await write(deps, { partner, options, step: plan.kind }, work) };
  });
  const sentence = `${sentences[step](slug)} \`kelpie-admin partners show ${slug}\` tells how it stands.`;
  print({ json }, { id, slug, step, ...doneAs(dryRun, written) }, sayDone(sentence, dryRun, written));
}

export function addVerifyingPartners(partners: Command): void {
  addHelp(
    writeCommand(partners.command('verify'))
      .argument('<partner>', 'its short name, or its id')
      .description(
        'Have the bank verify the business, which opens live. Where that is under way, the bank is asked how far it is; where not, it is started. Nobody but the bank says yes.',
      )
      .option('--email <address>', 'to start it: the person at the partner whom the bank writes to', emailFrom)
      .action(verify),
    {
      when: 'A partner waits for its verification and you want to know now; or it asks you to start it.',
      examples: [
        'kelpie-admin partners verify acme --operator ada@kelpie.example',
        'kelpie-admin partners verify acme --email grace@acme.example --operator ada@kelpie.example',
      ],
      prints: 'which of the two was done. A worker writes down within seconds what the bank says.',
    },
  );
}
