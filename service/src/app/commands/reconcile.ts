import { setTimeout } from 'node:timers/promises';
import { InvalidArgumentError, type Command } from 'commander';
import {
  cutOffAt,
  findRun,
  listRunEnvironments,
  runReconciliation,
  type AdminRun,
  type AdminEnvironmentRun,
  type RunReport,
} from '../../reconciliation/index.ts';
import { noFailpoint } from '../../platform/failpoint.ts';
import { createSingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { chooseBanks, openBanks } from '../wiring/banks.ts';
import { exitCodes } from './failure.ts';
import { partnerFilter } from './find-partner.ts';
import {
  writeCommand,
  runAudited,
  chosenSettings,
  createProgressWriter,
  doneAsJson,
  idFrom,
  limited,
  look,
  readCommand,
  withOperator,
  describeDone,
  type WriteOptions,
  type ReadOptions,
  type OperatorDeps,
} from './run-command.ts';
import { counted, exactUsdc, print, shortInstant, table } from './printing.ts';
import { addHelp, addGroupHelp } from './help.ts';

const dayForm = /^\d{4}-\d{2}-\d{2}$/;

function dayFrom(text: string): Date {
  const day = new Date(`${text}T00:00:00Z`);
  if (!dayForm.test(text) || Number.isNaN(day.getTime()))
    throw new InvalidArgumentError('Use a day, for example 2026-11-15.');
  return day;
}

interface RunOptions extends WriteOptions {
  partner?: string;
  from?: Date;
  everything: boolean;
}

const reportEveryMs = 2_000;

function createProgress(
  report: (text: string) => void,
): (partnerEnvironment: PartnerContext, transfers: number) => void {
  let reportedAt = performance.now();
  return ({ partnerId, environment }, transfers) => {
    if (performance.now() - reportedAt < reportEveryMs) return;
    reportedAt = performance.now();
    report(`${partnerId} ${environment}: ${counted(transfers, 'transfer')} compared`);
  };
}

function describeReport({ run: found, state, ...counts }: RunReport, dryRun: boolean): string {
  const { environments, transfers, deposits, inFlight, differences, known, incomplete } = counts;
  const lines = [
    `${dryRun ? 'Compared' : `Run ${found.id}`}: ${state}.`,
    `  compared ${counted(transfers, 'transfer')} and ${counted(deposits, 'deposit')} of ${counted(environments, 'partner environment')}, final before ${found.cutOff.toISOString()}`,
    `  ${inFlight} still in flight, left to a later run`,
    `  ${counted(differences, 'difference')}${known === 0 ? '' : `, ${known} of them in closed cases`}`,
    ...(environments === 0 && found.partnerId !== null
      ? ['  Nothing was compared: the partner has no bank account']
      : []),
    ...(incomplete === 0 ? [] : [`  incomplete: ${counted(incomplete, 'partner environment')}. Run it again.`]),
    ...(differences > known && !dryRun ? ['  List them with `kelpie-admin cases list`.'] : []),
  ];
  return lines.join('\n');
}

/** One commit per environment, so that a killed run can be repeated. The audit entry is a commit before them. */
async function run(deps: OperatorDeps, options: RunOptions): Promise<void> {
  const { json, dryRun, from = null, everything } = options;
  if (from !== null && from >= cutOffAt(deps.clock.now()))
    throw new OperatorError('--from is too recent. Only transactions that were final 20 minutes ago are compared.');
  const partnerId = await look(async (tx) => partnerFilter(tx, options.partner));
  const banks = openBanks(chosenSettings(chooseBanks), deps.clock, noFailpoint);
  const written = await runAudited(deps, options, async (tx) => {
    const detail = { from: everything ? 'everything' : (from?.toISOString() ?? null) };
    return deps.record(tx, { action: 'reconcile.run', subject: partnerId ?? 'all', detail });
  });
  const found: object[] = [];
  const report = await runReconciliation(
    {
      ...deps,
      calls: createSingleCalls(deps.pool, noFailpoint),
      banks,
      // Data keys open bank details, which operators do not need.
      encryptor: null,
      pause: async (ms) => setTimeout(ms),
    },
    {
      askedBy: deps.operator,
      dryRun,
      ...(partnerId === null ? {} : { partnerId }),
      ...(everything ? { from: null } : from === null ? {} : { from }),
      onEnvironment: ({ partnerId: of, environment }, partnerEnvironment) =>
        found.push(...partnerEnvironment.found.map((difference) => ({ partnerId: of, environment, ...difference }))),
      onProgress: createProgress(createProgressWriter(options)),
    },
  );
  const reported = describeReport(report, dryRun);
  print({ json }, { ...report, found, ...doneAsJson(dryRun, written) }, describeDone(reported, dryRun, written));
  process.exitCode = report.state === 'clean' ? exitCodes.done : exitCodes.found;
}

function addRun(reconcile: Command): void {
  const command = writeCommand(reconcile.command('run'))
    .description(
      'Reconcile the ledger with the bank now. Compares transfers, deposits and wallet balances. Each difference opens a case, or updates an open one. Moves no money. A worker does the same every day. Safe to repeat, to interrupt, and to run alongside the worker. Exit code 1 if there is a difference or the run is incomplete.',
    )
    .option('--partner <partner>', 'only this partner (slug or id)')
    .option('--from <day>', 'compare from this day on (UTC), instead of since the last run', dayFrom)
    .option('--everything', 'compare the whole history', false)
    .action(async (options: RunOptions) => withOperator('service', async (deps) => run(deps, options)));
  addHelp(command, {
    example: 'kelpie-admin reconcile run --partner acme --dry-run',
    prints:
      'The result, how much was compared and how many differences there are, with progress on standard error. A dry run compares the same and writes nothing.',
  });
}

function rowOf(partnerEnvironment: AdminEnvironmentRun): string[] {
  return [
    partnerEnvironment.partner ?? `all ${partnerEnvironment.environments}`,
    partnerEnvironment.environment,
    String(partnerEnvironment.transfers),
    String(partnerEnvironment.deposits),
    String(partnerEnvironment.inFlight),
    exactUsdc(partnerEnvironment.oursMicroUsdc),
    exactUsdc(partnerEnvironment.bankMicroUsdc),
    exactUsdc(partnerEnvironment.inFlightMicroUsdc),
    String(partnerEnvironment.differences),
    String(partnerEnvironment.known),
    partnerEnvironment.problem ?? '-',
  ];
}

function describeRun(found: AdminRun, environments: readonly AdminEnvironmentRun[]): string {
  const names = [
    'PARTNER',
    'ENVIRONMENT',
    'TRANSFERS',
    'DEPOSITS',
    'IN FLIGHT',
    'LEDGER BALANCE',
    'BANK BALANCE',
    'IN-FLIGHT AMOUNT',
    'DIFFERENCES',
    'IN CLOSED CASES',
    'PROBLEM',
  ];
  const ended = found.finishedAt === null ? 'not finished' : `finished ${shortInstant(found.finishedAt)}`;
  const head = [
    `Run ${found.id}: ${found.state}`,
    `  started by ${found.askedBy} at ${shortInstant(found.startedAt)}, ${ended}`,
    `  compared what was final before ${shortInstant(found.cutOffAt)}`,
    ...(found.partner === null ? [] : [`  only partner ${found.partner}`]),
    ...(found.linesFrom === null ? [] : [`  only since ${shortInstant(found.linesFrom)}`]),
  ];
  const inOrder = [
    ...environments.filter(({ partner }) => partner !== null),
    ...environments.filter(({ partner }) => partner === null),
  ];
  return `${head.join('\n')}\n\n${table(names, inOrder.map(rowOf), 'No partner has a bank account.')}`;
}

async function readRun(text: string | undefined, limit: number) {
  const id = text === undefined ? null : idFrom(text);
  const shown = await look(async (tx) => {
    const found = id === undefined ? null : await findRun(tx, id);
    return found === null ? null : { ...found, environments: await listRunEnvironments(tx, found.id, limit) };
  });
  if (shown !== null) return shown;
  const message =
    text === undefined
      ? 'No reconciliation has run yet. Start one with `kelpie-admin reconcile run`.'
      : `No reconciliation has the id ${text}.`;
  throw new OperatorError(message, 'not_found');
}

function addShow(reconcile: Command): void {
  const show = limited(readCommand(reconcile.command('show')))
    .argument('[run]', 'run id (default: the newest full run)')
    .description('Show the result of a reconciliation run.')
    .action(async (id: string | undefined, { json, limit }: ReadOptions & { limit: number }) => {
      const shown = await readRun(id, limit);
      print({ json }, shown, describeRun(shown, shown.environments));
    });
  addHelp(show, {
    example: 'kelpie-admin reconcile show',
    prints:
      'One line per partner environment, those with differences first, then the totals. Each has its counts and the wallet balance in the ledger and at the bank.',
  });
}

export function addReconcileCommands(kelpie: Command): void {
  const reconcile = kelpie.command('reconcile').description('Reconcile the ledger with the bank.');
  addRun(reconcile);
  addShow(reconcile);
  addGroupHelp(reconcile, {
    about:
      'A worker reconciles every day at 05:10 UTC. Each difference opens a case (`kelpie-admin cases list`). docs/reconciliation.md has the details.',
    example: 'kelpie-admin reconcile show',
  });
}
