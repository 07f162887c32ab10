import { InvalidArgumentError, type Command } from 'commander';
import { formatPounds } from '../../money/amounts.ts';
import {
  listStuckPayouts,
  makePayoutDue,
  readAuditTrail,
  auditTrailAsJson,
  type StuckPayout,
} from '../../payouts/index.ts';
import { formatAuditTrail } from './payout-audit-trail.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import {
  writeCommand,
  runAudited,
  doneAs,
  idFrom,
  limited,
  look,
  readCommand,
  withOperator,
  sayDone,
  type WriteOptions,
  type ReadOptions,
} from './run-command.ts';
import { print, shortInstant, table } from './printing.ts';
import { addHelp, addGroupHelp } from './help.ts';

const minuteMs = 60_000;

function requirePayoutId(text: string): string {
  const id = idFrom(text);
  if (id === undefined) throw missing(text);
  return id;
}

function missing(id: string): OperatorError {
  return new OperatorError(`There is no payout ${id}. Its id is the "id" in the API's answer.`, 'not_found');
}

function rowOf(payout: StuckPayout): string[] {
  return [
    payout.id,
    payout.partner,
    payout.environment,
    payout.state,
    payout.bankState ?? '-',
    `${formatPounds(payout.amountPence)} GBP`,
    shortInstant(payout.createdAt),
    shortInstant(payout.dueAt),
    payout.cases.join(', ') || '-',
  ];
}

function minutesFrom(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('It is a whole number of minutes.');
  return Number(text);
}

function addStuck(payouts: Command): void {
  const stuck = limited(readCommand(payouts.command('stuck')))
    .description('Payouts that are not at their end: those that wait for a person first, then the oldest.')
    .option('--older-than <minutes>', 'only those that were ordered longer ago', minutesFrom, 10)
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
        'BANK SAYS',
        'AMOUNT',
        'ORDERED',
        'LOOKED AT NEXT',
        'CASES',
      ];
      print({ json }, found, table(names, found.map(rowOf), 'None: every payout is at its end, or on its way.'));
    });
  addHelp(stuck, {
    when: 'Each morning, and when a partner says that a payout has not come.',
    examples: ['kelpie-admin payouts stuck', 'kelpie-admin payouts stuck --older-than 1440 --json'],
    prints: 'a line a payout: what the bank said last, when it is looked at next, and the cases that are open.',
  });
}

function addShow(payouts: Command): void {
  const show = readCommand(payouts.command('show'))
    .argument('<id>', 'the id of the payout')
    .description(
      'Tell the whole story of one payout: states, tries, bank ids, ledger lines, who and when. Changes nothing.',
    )
    .action(async (id: string, { json }: ReadOptions) => {
      const payoutId = requirePayoutId(id);
      const auditTrail = await look(async (tx) => readAuditTrail(tx, payoutId));
      if (auditTrail === null) throw missing(id);
      print({ json }, auditTrailAsJson(auditTrail), formatAuditTrail(auditTrail));
    });
  addHelp(show, {
    when: 'Somebody asks what became of a payout. This is all that we know of it.',
    examples: ['kelpie-admin payouts show 01a1dfa5-aff2-7036-a787-17b3198fc6ab'],
    prints:
      'how it stands, then its history, each step with its lines in the ledger. Of the recipient no more than the partner sees.',
  });
}

function addAsk(payouts: Command): void {
  const refresh = writeCommand(payouts.command('refresh'))
    .argument('<id>', 'the id of the payout')
    .description(
      'Ask the bank once more what became of a payout. A worker does it within a second and writes down what follows. Nothing is sent again by this.',
    )
    .action(async (id: string, options: WriteOptions) => {
      const payoutId = requirePayoutId(id);
      const { json, dryRun } = options;
      const written = await withOperator(options, 'operator', async (deps) =>
        runAudited(deps, options, async (tx) => {
          const recorded = await deps.record(tx, { action: 'payout.refresh', subject: payoutId, detail: {} });
          if (!(await makePayoutDue(tx, payoutId, deps.clock.now()))) throw missing(id);
          return recorded;
        }),
      );
      const sentence = `The bank is asked about payout ${payoutId}. \`kelpie-admin payouts show ${payoutId}\` tells what it said.`;
      print({ json }, { id: payoutId, ...doneAs(dryRun, written) }, sayDone(sentence, dryRun, written));
    });
  addHelp(refresh, {
    when: 'The bank tells you on the phone that something has changed, and the next look is too far away.',
    examples: ['kelpie-admin payouts refresh 01a1dfa5-aff2-7036-a787-17b3198fc6ab --operator ada@kelpie.example'],
    prints: 'that it is asked, and where that stands in the log of the operators.',
  });
}

export function addPayoutCommands(kelpie: Command): void {
  const payouts = kelpie.command('payouts').description('Look after payouts: the stuck ones, and one’s whole story.');
  addStuck(payouts);
  addShow(payouts);
  addAsk(payouts);
  addGroupHelp(payouts, {
    when: 'Begin with the stuck ones, read the story of one, and ask the bank where it does not tell by itself.',
    examples: ['kelpie-admin payouts stuck', 'kelpie-admin payouts show 01a1dfa5-aff2-7036-a787-17b3198fc6ab'],
  });
}
