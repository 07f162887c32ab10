import { InvalidArgumentError, type Command } from 'commander';
import {
  listStuckPayouts,
  makePayoutDue,
  readAuditTrail,
  auditTrailAsJson,
  type StuckPayout,
} from '../../payouts/index.ts';
import { addPayoutActs } from './payout-acts.ts';
import { formatAuditTrail } from './payout-audit-trail.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import {
  writeCommand,
  runAudited,
  doneAsJson,
  idFrom,
  limited,
  look,
  readCommand,
  withOperator,
  describeDone,
  type WriteOptions,
  type ReadOptions,
} from './run-command.ts';
import { pounds, print, shortInstant, table } from './printing.ts';
import { addHelp, addGroupHelp } from './help.ts';

const minuteMs = 60_000;

function requirePayoutId(text: string): string {
  const id = idFrom(text);
  if (id === undefined) throw missing(text);
  return id;
}

function missing(id: string): OperatorError {
  return new OperatorError(`No payout has the id ${id}. Use the "id" from the API.`, 'not_found');
}

function rowOf(payout: StuckPayout): string[] {
  return [
    payout.id,
    payout.partner,
    payout.environment,
    payout.state,
    payout.bankState ?? '-',
    pounds(payout.amountPence),
    shortInstant(payout.createdAt),
    shortInstant(payout.dueAt),
    payout.cases.join(', ') || '-',
  ];
}

function minutesFrom(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('Use a whole number of minutes.');
  return Number(text);
}

function addStuck(payouts: Command): void {
  const stuck = limited(readCommand(payouts.command('stuck')))
    .description('List payouts that have not finished. Those with an open case come first, then the oldest.')
    .option('--older-than <minutes>', 'only payouts created longer ago than this', minutesFrom, 10)
    .action(async ({ json, olderThan, limit }: ReadOptions & { olderThan: number; limit: number }) => {
      const found = await look(async (tx, now) => {
        const since = new Date(now.getTime() - olderThan * minuteMs);
        return listStuckPayouts(tx, { olderThan: since, atMost: limit });
      });
      const names = [
        'PAYOUT',
        'PARTNER',
        'ENVIRONMENT',
        'STATE',
        'BANK STATUS',
        'AMOUNT',
        'CREATED',
        'NEXT CHECK',
        'CASES',
      ];
      print({ json }, found, table(names, found.map(rowOf), 'No stuck payouts.'));
    });
  addHelp(stuck, {
    example: 'kelpie-admin payouts stuck --older-than 1440',
    prints: 'One line per payout: its state, the last bank status, the next check and its open cases.',
  });
}

function addShow(payouts: Command): void {
  const show = readCommand(payouts.command('show'))
    .argument('<id>', 'payout id')
    .description('Show a payout’s audit trail: states, attempts, bank ids and ledger lines.')
    .action(async (id: string, { json }: ReadOptions) => {
      const payoutId = requirePayoutId(id);
      const auditTrail = await look(async (tx) => readAuditTrail(tx, payoutId));
      if (auditTrail === null) throw missing(id);
      print({ json }, auditTrailAsJson(auditTrail), formatAuditTrail(auditTrail));
    });
  addHelp(show, {
    example: 'kelpie-admin payouts show 01a1dfa5-aff2-7036-a787-17b3198fc6ab',
    prints:
      'Its state, then its history. Each step has its ledger lines (DR debit, CR credit). It shows no more about the recipient than the partner can see.',
  });
}

function addRefresh(payouts: Command): void {
  const refresh = writeCommand(payouts.command('refresh'))
    .argument('<id>', 'payout id')
    .description(
      'Refresh a payout’s status from the bank. A worker asks the bank within a second and records the answer. Sends no payment.',
    )
    .action(async (id: string, options: WriteOptions) => {
      const payoutId = requirePayoutId(id);
      const { json, dryRun } = options;
      const written = await withOperator('operator', async (deps) =>
        runAudited(deps, options, async (tx) => {
          const recorded = await deps.record(tx, { action: 'payout.refresh', subject: payoutId, detail: {} });
          if (!(await makePayoutDue(tx, payoutId, deps.clock.now()))) throw missing(id);
          return recorded;
        }),
      );
      const sentence = `A worker asks the bank about payout ${payoutId}. Check with \`kelpie-admin payouts show ${payoutId}\`.`;
      print({ json }, { id: payoutId, ...doneAsJson(dryRun, written) }, describeDone(sentence, dryRun, written));
    });
  addHelp(refresh, {
    example: 'kelpie-admin payouts refresh 01a1dfa5-aff2-7036-a787-17b3198fc6ab',
    prints: 'The payout and the audit log entry. `payouts show` has the result.',
  });
}

export function addPayoutCommands(kelpie: Command): void {
  const payouts = kelpie.command('payouts').description('List, show, refresh and resolve payouts that are stuck.');
  addStuck(payouts);
  addShow(payouts);
  addRefresh(payouts);
  addPayoutActs(payouts);
  addGroupHelp(payouts, {
    about:
      'Start with `payouts stuck`, read the audit trail of one, and refresh it if the bank may know more. If it stays stuck, propose to release, settle or adopt it.',
    example: 'kelpie-admin payouts stuck',
  });
}
