import { Option, type Command } from 'commander';
import { createPartnerEnvironments, createPlanMarkups } from '../../partners/index.ts';
import {
  beginRecovery,
  createCommits,
  openRecovery,
  readRecovery,
  runImport,
  type ImportReport,
  type PayoutDeps,
  type RecoveryStanding,
} from '../../payouts/index.ts';
import { createSingleCalls } from '../../platform/database/single-call.ts';
import { createEncryptor } from '../../platform/encryption.ts';
import { noFailpoint } from '../../platform/failpoint.ts';
import { readAnchor, writeAnchor } from '../../platform/heartbeat/anchor.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { required, settings } from '../../platform/configuration/settings.ts';
import { chooseBanks, openBanks } from '../wiring/banks.ts';
import { exitCodes } from './failure.ts';
import { addGroupHelp, addHelp } from './help.ts';
import { counted, print, shortInstant } from './printing.ts';
import { propose, type ApprovedAct } from './propose.ts';
import { addDrill } from './recovery-drill.ts';
import {
  chosenSettings,
  createProgressWriter,
  describeDone,
  doneAsJson,
  look,
  readCommand,
  runAudited,
  withOperator,
  withReason,
  writeCommand,
  type OperatorDeps,
  type ReadOptions,
  type WithReason,
  type WriteOptions,
} from './run-command.ts';

async function readAnchored(file: string | null): Promise<bigint | null> {
  const anchor = file === null ? null : await readAnchor(file);
  return anchor?.kind === 'read' ? anchor.number : null;
}

function describeStanding({ heartbeat, recovery }: RecoveryStanding, anchored: bigint | null): string {
  const lines = [
    recovery === null ? 'No recovery is in progress.' : `Recovery ${recovery.id} is in progress. Live is closed.`,
    `  heartbeat ${heartbeat.number} of ${shortInstant(heartbeat.at)}, anchor ${anchored ?? 'not read'}`,
    ...(recovery === null
      ? []
      : [
          `  begun by ${recovery.begunBy} at ${shortInstant(recovery.beganAt)}: ${recovery.reason}`,
          `  payouts since ${shortInstant(recovery.lostSince)} may be missing`,
          recovery.importedAt === null
            ? '  not imported: run `kelpie-admin recovery import`'
            : `  imported at ${shortInstant(recovery.importedAt)}: open it with \`kelpie-admin recovery open\``,
        ]),
  ];
  return `${lines.join('\n')}\n`;
}

function addShow(recovery: Command): void {
  const show = readCommand(recovery.command('show'))
    .description('Show whether live is closed because the database was restored.')
    .action(async ({ json }: ReadOptions) => {
      const anchored = await readAnchored(chosenSettings((get) => get(settings.heartbeatAnchor)));
      const standing = await look(async (tx) => readRecovery(tx));
      print({ json }, { ...standing, anchored }, describeStanding(standing, anchored));
    });
  addHelp(show, {
    example: 'kelpie-admin recovery show',
    prints: 'The recovery in progress, the heartbeat of the database and of its anchor, and the next step.',
  });
}

/** The block is committed by now, so an anchor that can't be written is a warning. */
async function raiseAnchor(file: string, number: bigint): Promise<void> {
  try {
    const anchored = (await readAnchored(file)) ?? 0n;
    if (anchored <= number) await writeAnchor(file, number + 1n);
  } catch {
    process.stderr.write(`Warning: live is closed, but ${file} (KELPIE_HEARTBEAT_ANCHOR) cannot be written.\n`);
  }
}

async function begin(options: WithReason): Promise<void> {
  const { json, dryRun, reason } = options;
  const file = chosenSettings((get) => get(required(settings.heartbeatAnchor)));
  const { written, number } = await withOperator('operator', async (deps) =>
    runAudited(deps, options, async (tx) => {
      const recorded = await deps.record(tx, { action: 'recovery.begin', subject: 'live', detail: { reason } });
      return { written: recorded, number: await beginRecovery(tx, reason, deps.clock.now()) };
    }),
  );
  if (!dryRun) await raiseAnchor(file, number);
  const sentence = 'Live is closed until the recovery is imported and opened. Next: `kelpie-admin recovery import`.';
  print({ json }, doneAsJson(dryRun, written), describeDone(sentence, dryRun, written));
}

function addBegin(recovery: Command): void {
  const command = withReason(writeCommand(recovery.command('begin')))
    .description(
      'Close live, because the database was restored. Kelpie does so by itself where it notices. Use it where it can’t: the restore lost less than a heartbeat, or the anchor file is lost, which it creates again. Takes effect at once.',
    )
    .action(begin);
  addHelp(command, {
    example: 'kelpie-admin recovery begin --reason "restored to 09:12, incident 81"',
    prints: 'That live is closed, and the audit log entry.',
  });
}

interface ImportOptions extends WriteOptions {
  environment: 'sandbox' | 'live';
  everything: boolean;
}

function importDeps({ pool, clock, logger }: OperatorDeps): PayoutDeps {
  const { banks, dataKeys } = chosenSettings((get) => ({ banks: chooseBanks(get), dataKeys: get(settings.dataKeys) }));
  const calls = createSingleCalls(pool, noFailpoint);
  return {
    calls,
    commits: createCommits(calls, clock),
    clock,
    logger,
    banks: openBanks(banks, clock, noFailpoint),
    partnerEnvironments: createPartnerEnvironments(calls),
    markups: createPlanMarkups(calls),
    encryptor: createEncryptor(dataKeys),
  };
}

const reasons: Readonly<Record<ImportReport['unresolved'][number]['what'], string>> = {
  insufficient_funds: 'the wallet does not cover it. Wait until the worker has read the deposits',
  no_amount: 'the bank does not say its amount',
  settled_though_paid: 'the bank has a payment, but the payout ended without one',
  too_recent: 'the bank may still list it. Wait a minute',
  not_settled: 'its outcome is still unknown',
};

function describeReport(report: ImportReport): string {
  const { partners, payments, imported, applied, released, woken, incomplete, unresolved } = report;
  const lines = [
    `Read ${counted(payments, 'payment')} of ${counted(partners, 'partner')} from the bank.`,
    `  ${counted(imported, 'payout')} rebuilt`,
    `  ${counted(applied, 'payout')} with an unknown outcome found at the bank`,
    `  ${counted(released, 'payout')} with an unknown outcome not at the bank: hold released`,
    `  ${counted(woken, 'payout')} to check again, because the payment was returned`,
    ...incomplete.map((partnerId) => `  partner ${partnerId}: the bank’s list could not be read to its end`),
    ...unresolved.map(({ what, id, partnerId }) => `  partner ${partnerId}, ${id}: ${reasons[what]}`),
    report.isDone ? 'Nothing is missing.' : 'Not finished. Run it again.',
  ];
  return lines.join('\n');
}

/** One commit per payout, so that a killed run can be repeated. The audit entry is a commit before them. */
async function importAll(deps: OperatorDeps, options: ImportOptions): Promise<void> {
  const { json, dryRun, environment, everything } = options;
  const { recovery } = await look(async (tx) => readRecovery(tx));
  if (environment === 'live' && recovery === null)
    throw new OperatorError(
      'No recovery is in progress. If the database was restored, begin one with `kelpie-admin recovery begin`.',
      'nothing_to_do',
    );
  const payouts = importDeps(deps);
  const written = await runAudited(deps, options, async (tx) =>
    deps.record(tx, { action: 'recovery.import', subject: environment, detail: { everything: String(everything) } }),
  );
  const report = createProgressWriter(options);
  const done = await runImport(payouts, {
    environment,
    everything,
    by: deps.operator,
    dryRun,
    onProgress: (partnerId, payments) => report(`${partnerId}: ${counted(payments, 'payment')} read`),
  });
  print({ json }, { ...done, ...doneAsJson(dryRun, written) }, describeDone(describeReport(done), dryRun, written));
  process.exitCode = done.isDone ? exitCodes.done : exitCodes.found;
}

function addImport(recovery: Command): void {
  const command = writeCommand(recovery.command('import'))
    .description(
      'Rebuild what the bank did and the database forgot, from the bank’s lists of every partner. Payouts whose outcome is unknown are settled: found at the bank, or released. Sends no payment. Safe to repeat and to interrupt. Exit code 1 if something is left to do.',
    )
    .addOption(
      new Option('--environment <environment>', 'live or sandbox').choices(['live', 'sandbox']).default('live'),
    )
    .option('--everything', 'read the bank’s whole lists, not only since the last heartbeat', false)
    .action(async (options: ImportOptions) => withOperator('service', async (deps) => importAll(deps, options)));
  addHelp(command, {
    example: 'kelpie-admin recovery import --dry-run',
    prints: 'How many payouts it rebuilt and settled, and what it could not, with progress on standard error.',
  });
}

async function proposeOpening(options: WithReason): Promise<void> {
  const { recovery } = await look(async (tx) => readRecovery(tx));
  if (recovery === null) throw new OperatorError('No recovery is in progress. Live is open.', 'nothing_to_do');
  if (recovery.importedAt === null) throw notImported();
  const detail = { reason: options.reason, imported_at: recovery.importedAt.toISOString() };
  await withOperator('operator', async (deps) =>
    propose(deps, options, {
      what: 'open live again',
      action: 'recovery.open',
      subject: recovery.id,
      revision: null,
      detail,
    }),
  );
}

function notImported(): OperatorError {
  return new OperatorError(
    'The recovery is not imported. Run `kelpie-admin recovery import` until nothing is missing. Nothing changed.',
    'recovery_not_imported',
  );
}

/** Searches the bank's lists again: what arrived there since the import is missing, too. */
export const recoveryOpening: ApprovedAct = {
  as: 'service',
  async prepare({ id: proposalId, subject: recoveryId }, deps) {
    const anchored = await readAnchored(chosenSettings((get) => get(required(settings.heartbeatAnchor))));
    if (anchored === null)
      throw new OperatorError('KELPIE_HEARTBEAT_ANCHOR cannot be read. Run this where its storage is mounted.');
    const found = await runImport(importDeps(deps), {
      environment: 'live',
      everything: false,
      by: deps.operator,
      dryRun: true,
    });
    if (!found.isDone || found.imported + found.applied + found.released > 0) throw notImported();
    return {
      async perform(tx) {
        await openRecovery(tx, { proposalId, recoveryId, anchored, at: deps.clock.now() });
        return { sentence: 'Live is open again.', shown: { heartbeat: anchored } };
      },
    };
  },
};

function addOpen(recovery: Command): void {
  const command = withReason(writeCommand(recovery.command('open')))
    .description(
      'Propose to open live again, for another operator to approve. Approval reads the bank’s lists once more, and is refused while anything is missing. Takes effect at once, on every process.',
    )
    .action(proposeOpening);
  addHelp(command, {
    example: 'kelpie-admin recovery open --reason "import finished, incident 81"',
    prints: 'The proposal and the audit log entry.',
  });
}

export function addRecoveryCommands(kelpie: Command): void {
  const recovery = kelpie
    .command('recovery')
    .description('Bring live back after the database was restored, and rehearse a restore.');
  addShow(recovery);
  addBegin(recovery);
  addImport(recovery);
  addOpen(recovery);
  addDrill(recovery);
  addGroupHelp(recovery, {
    about:
      'A database that is behind its anchor (KELPIE_HEARTBEAT_ANCHOR) was restored: live is closed until its payouts are rebuilt from the bank’s records. docs/runbooks/restore.md has the steps.',
    example: 'kelpie-admin recovery show',
  });
}
