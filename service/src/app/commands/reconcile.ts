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
  createSay,
  doneAs,
  idFrom,
  limited,
  look,
  readCommand,
  withOperator,
  sayDone,
  type WriteOptions,
  type ReadOptions,
  type OperatorDeps,
} from './run-command.ts';
import { counted, exactUsdc, print, shortInstant, table } from './printing.ts';
import { addHelp, addGroupHelp } from './help.ts';

const dayForm = /^\d{4}-\d{2}-\d{2}$/;

function dayFrom(text: string): Date {
  const day = new Date(`${text}T00:00:00Z`);
  if (!dayForm.test(text) || Number.isNaN(day.getTime())) throw new InvalidArgumentError('It is a day, as 2026-11-15.');
  return day;
}

interface RunOptions extends WriteOptions {
  partner?: string;
  from?: Date;
  everything: boolean;
}

const sayEveryMs = 2_000;

/** Says from time to time how far it is; nothing, where it is soon done. */
function createProgress(say: (text: string) => void): (partnerEnvironment: PartnerContext, transfers: number) => void {
  let saidAt = performance.now();
  return ({ partnerId, environment }, transfers) => {
    if (performance.now() - saidAt < sayEveryMs) return;
    saidAt = performance.now();
    say(`${partnerId} ${environment}: ${counted(transfers, 'transfer')} compared`);
  };
}

function describeReport({ run: found, state, ...counts }: RunReport, dryRun: boolean): string {
  const { environments, transfers, deposits, inFlight, differences, known, incomplete } = counts;
  const lines = [
    `${dryRun ? 'Compared' : `Run ${found.id}`}: ${state}.`,
    `  ${counted(environments, 'partner environment')}, ${counted(transfers, 'transfer')} and ${counted(deposits, 'deposit')} compared that were final before ${found.cutOff.toISOString()}`,
    `  ${inFlight} under way then: no difference, and for a later run`,
    `  ${counted(differences, 'difference')}${known === 0 ? '' : `, of which ${known} known and closed`}`,
    ...(environments === 0 && found.partnerId !== null ? ['  The partner is at no bank: NOTHING was compared'] : []),
    ...(incomplete === 0
      ? []
      : [`  ${counted(incomplete, 'partner environment')} could NOT be compared wholly: run it again`]),
    ...(differences > known && !dryRun ? ['  `kelpie-admin cases list` shows them.'] : []),
  ];
  return lines.join('\n');
}

/** A run is many commits, one an environment, so that it can be killed: the note of it is a commit of its own before them. */
async function run(deps: OperatorDeps, options: RunOptions): Promise<void> {
  const { json, dryRun, from = null, everything } = options;
  if (from !== null && from >= cutOffAt(deps.clock.now()))
    throw new OperatorError('There is nothing to compare from then on: what was final 20 minutes ago is compared.');
  const partnerId = await look(async (tx) => partnerFilter(tx, options.partner));
  const banks = openBanks(chosenSettings(chooseBanks), deps.clock, noFailpoint);
  const written = await runAudited(deps, options, async (tx) => {
    const detail = { from: everything ? 'everything' : (from?.toISOString() ?? null) };
    return deps.record(tx, { action: 'reconcile.run', subject: partnerId ?? 'all', detail });
  });
  const found: object[] = [];
  const report = await runReconciliation(
    { ...deps, calls: createSingleCalls(deps.pool, noFailpoint), banks, pause: async (ms) => setTimeout(ms) },
    {
      askedBy: deps.operator,
      dryRun,
      ...(partnerId === null ? {} : { partnerId }),
      ...(everything ? { from: null } : from === null ? {} : { from }),
      onEnvironment: ({ partnerId: of, environment }, partnerEnvironment) =>
        found.push(...partnerEnvironment.found.map((difference) => ({ partnerId: of, environment, ...difference }))),
      onProgress: createProgress(createSay(options)),
    },
  );
  const reported = describeReport(report, dryRun);
  print({ json }, { ...report, found, ...doneAs(dryRun, written) }, sayDone(reported, dryRun, written));
  process.exitCode = report.state === 'clean' ? exitCodes.done : exitCodes.found;
}

function addRun(reconcile: Command): void {
  const command = writeCommand(reconcile.command('run'))
    .summary('Hold our books against the bank’s records now.')
    .description(
      'Hold our books against the bank’s records now: transfers, deposits and what each wallet keeps. A worker does the same every day; safe to repeat, to kill, and to run beside it. Each difference becomes a case, or is seen again; no money moves. Exit code 1 where there is a difference, or something could not be compared.',
    )
    .option('--partner <partner>', 'only this partner: its short name, or its id')
    .option('--from <day>', 'compare lines since that day (UTC), in place of since the last run', dayFrom)
    .option('--everything', 'compare every line there ever was', false)
    .action(async (options: RunOptions) => withOperator(options, 'service', async (deps) => run(deps, options)));
  addHelp(command, {
    when: 'The run of this morning was incomplete; a case was mended and you want to see it gone; or something looks wrong.',
    examples: [
      'kelpie-admin reconcile run --operator ada@kelpie.example',
      'kelpie-admin reconcile run --partner acme --dry-run',
      'kelpie-admin reconcile run --from 2026-11-01 --operator ada@kelpie.example',
    ],
    prints:
      'whether it was clean, how much was compared, and how many differences there are; how far it is meanwhile. A dry run compares the same, and writes nothing.',
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
    partnerEnvironment.trouble ?? '-',
  ];
}

function describeRun(found: AdminRun, environments: readonly AdminEnvironmentRun[]): string {
  const names = [
    'PARTNER',
    'ENVIRONMENT',
    'TRANSFERS',
    'DEPOSITS',
    'UNDER WAY',
    'OUR BOOKS',
    'THE BANK',
    'UNDER WAY, USDC',
    'DIFFERENT',
    'KNOWN',
    'TROUBLE',
  ];
  const ended = found.finishedAt === null ? 'not ended' : `ended ${shortInstant(found.finishedAt)}`;
  const head = [
    `Run ${found.id}: ${found.state}`,
    `  asked for by ${found.askedBy}, began ${shortInstant(found.startedAt)}, ${ended}; compared what was final before ${shortInstant(found.cutOffAt)}`,
    ...(found.partner === null ? [] : [`  of ${found.partner} alone`]),
    ...(found.linesFrom === null ? [] : [`  only lines since ${shortInstant(found.linesFrom)}`]),
  ];
  // The totals come last, below what they are the sum of.
  const inOrder = [
    ...environments.filter(({ partner }) => partner !== null),
    ...environments.filter(({ partner }) => partner === null),
  ];
  return `${head.join('\n')}\n\n${table(names, inOrder.map(rowOf), 'There is nobody at a bank.')}`;
}

async function readRun(text: string | undefined, limit: number) {
  const id = text === undefined ? null : idFrom(text);
  const shown = await look(async (tx) => {
    const found = id === undefined ? null : await findRun(tx, id);
    return found === null ? null : { ...found, environments: await listRunEnvironments(tx, found.id, limit) };
  });
  if (shown !== null) return shown;
  const message =
    text === undefined ? 'There was no run yet: `kelpie-admin reconcile run`.' : `There is no run ${text}.`;
  throw new OperatorError(message, 'not_found');
}

function addShow(reconcile: Command): void {
  const show = limited(readCommand(reconcile.command('show')))
    .argument('[run]', 'the id of a run; else the newest of all partners that left nothing out')
    .description('What a run found, of each partner and in total.')
    .action(async (id: string | undefined, { json, limit }: ReadOptions & { limit: number }) => {
      const shown = await readRun(id, limit);
      print({ json }, shown, describeRun(shown, shown.environments));
    });
  addHelp(show, {
    when: 'Each morning: is the newest run clean, and is it of today?',
    examples: [
      'kelpie-admin reconcile show',
      'kelpie-admin reconcile show 01a1e038-9c12-7cc4-b6f0-51c1a7f0a6de --limit 1000',
    ],
    prints:
      'how many lines were compared, what was under way, and what our books and the bank say that the wallets keep: a line for each environment, those that differ first, then the totals.',
  });
}

export function addReconcileCommands(kelpie: Command): void {
  const reconcile = kelpie.command('reconcile').description('Hold our books against the bank’s.');
  addRun(reconcile);
  addShow(reconcile);
  addGroupHelp(reconcile, {
    when: 'A worker does it every day at 05:10 UTC. What differs becomes a case: `kelpie-admin cases list`. docs/reconciliation.md has the rest.',
    examples: ['kelpie-admin reconcile show', 'kelpie-admin reconcile run --operator ada@kelpie.example'],
  });
}
