import { InvalidArgumentError, type Command } from 'commander';
import {
  chargeException,
  findBilledPayout,
  listExceptions,
  type BilledPayout,
  type ChargedException,
} from '../../billing/index.ts';
import { formatPounds, parsePounds } from '../../money/amounts.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { partnerFilter } from './find-partner.ts';
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
import { pounds, print, shortInstant, table } from './printing.ts';
import { addHelp, addGroupHelp } from './help.ts';

type Kind = 'return' | 'recall' | 'trace';

function rowOf(one: ChargedException): string[] {
  return [
    shortInstant(one.at),
    one.partner,
    one.kind,
    pounds(one.chargedPence),
    one.payoutId,
    one.bankReference ?? '-',
    one.by ?? 'the bank’s record',
  ];
}

function addList(exceptions: Command): void {
  const list = limited(readCommand(exceptions.command('list')))
    .description('What partners were charged for returns, recalls and traces, the newest first.')
    .option('--partner <partner>', 'only those of this partner: its short name, or its id')
    .action(async ({ json, partner, limit }: ReadOptions & { partner?: string; limit: number }) => {
      const found = await look(async (tx) =>
        listExceptions(tx, { partnerId: await partnerFilter(tx, partner), atMost: limit }),
      );
      const names = ['CHARGED AT', 'PARTNER', 'WHAT', 'CHARGED', 'PAYOUT', 'BANK’S REFERENCE', 'BY'];
      print({ json }, found, table(names, found.map(rowOf), 'There are none.'));
    });
  addHelp(list, {
    when: 'The bank’s bill has come, and you want to see what of it is charged already.',
    examples: ['kelpie-admin exceptions list --partner acme'],
    prints:
      'a line a charge, with what was added to the cost. A return whose cost the bank’s record told has no reference: it was charged by itself.',
  });
}

function costFrom(text: string): bigint {
  const cost = parsePounds(text);
  if (cost === undefined || cost === 0n) throw new InvalidArgumentError('It is pounds and pence, as 12.50.');
  return cost;
}

function referenceFrom(text: string): string {
  if (text.trim() === '' || text.length > 100) throw new InvalidArgumentError('It is 1 to 100 characters.');
  return text;
}

interface ChargeOptions extends WriteOptions {
  cost: bigint;
  bankReference: string;
}

function refuse(kind: Kind, id: string, { environment, state, chargedByRecord }: BilledPayout): void {
  if (environment !== 'live')
    throw new OperatorError(`Payout ${id} is in the sandbox, where nothing is charged.`, 'never_charged');
  if (kind !== 'return') return;
  if (state !== 'returned')
    throw new OperatorError(`Payout ${id} is ${state}: it has not come back. Is it a recall, or a trace?`);
  if (chargedByRecord > 0n)
    throw new OperatorError(
      `The return of payout ${id} was charged when it came back, by the bank's own record: ${formatPounds(chargedByRecord)} GBP.`,
      'nothing_to_do',
    );
}

async function getBilledPayout(kind: Kind, text: string): Promise<{ id: string; payout: BilledPayout }> {
  const id = idFrom(text);
  const payout = id === undefined ? null : await look(async (tx) => findBilledPayout(tx, id));
  if (id === undefined || payout === null)
    throw new OperatorError(`There is no payout ${text}. Its id is the "id" in the API's answer.`, 'not_found');
  refuse(kind, id, payout);
  return { id, payout };
}

async function charge(kind: Kind, text: string, options: ChargeOptions): Promise<void> {
  const { json, dryRun, cost, bankReference } = options;
  const { id: payoutId, payout } = await getBilledPayout(kind, text);
  const { partnerId, partner } = payout;
  const { charged, written } = await withOperator(options, 'service', async (deps) =>
    runAudited({ ...deps, context: { partnerId, environment: 'live' } }, options, async (tx) => {
      const detail = { bank_reference: bankReference, cost_gbp: formatPounds(cost) };
      const recorded = await deps.record(tx, { action: `exception.${kind}`, subject: payoutId, detail });
      const billed = { partnerId, payoutId, bankReference, cost, at: deps.clock.now(), by: deps.operator };
      const amount = await chargeException(tx, billed);
      if (amount === null)
        throw new OperatorError(
          `${bankReference} was charged to ${partner} before: nothing is charged again. \`kelpie-admin exceptions list --partner ${partner}\` shows it.`,
          'nothing_to_do',
        );
      return { charged: amount, written: recorded };
    }),
  );
  const sentence = `Charged ${pounds(charged)} to ${partner} for the ${kind} of payout ${payoutId}, which cost us ${pounds(cost)}.`;
  const done = { kind, payoutId, partner, bankReference, costPence: cost, chargedPence: charged };
  print({ json }, { ...done, ...doneAs(dryRun, written) }, sayDone(sentence, dryRun, written));
}

const kinds: Readonly<Record<Kind, { about: string; when: string }>> = {
  return: {
    about: 'the return of a payout (where the bank’s own record did not tell its cost)',
    when: 'A payout came back, nothing was charged for that, and the bank’s bill names a cost.',
  },
  recall: {
    about: 'a recall (the bank was asked to get a payout back from the recipient’s bank)',
    when: 'A partner paid the wrong person, the bank tried to get it back, and billed us for it.',
  },
  trace: {
    about: 'a trace (the bank was asked where a payout is)',
    when: 'A recipient says that nothing came, the bank looked for it, and billed us for it.',
  },
};

function addCharging(exceptions: Command, kind: Kind): void {
  const { about, when } = kinds[kind];
  const command = writeCommand(exceptions.command(kind))
    .argument('<payout>', 'the id of the payout')
    .summary(`Charge a partner for a ${kind} that the bank billed us for.`)
    .description(
      `Charge a partner for ${about}: what the bank billed us, plus what the partner’s plan adds. The same reference of the bank’s is charged once.`,
    )
    .requiredOption('--cost <pounds>', 'what the bank billed, as 12.50', costFrom)
    .requiredOption('--bank-reference <text>', 'what the bank calls its bill', referenceFrom)
    .action(async (payout: string, options: ChargeOptions) => charge(kind, payout, options));
  addHelp(command, {
    when,
    examples: [
      `kelpie-admin exceptions ${kind} 01a1dfa5-aff2-7036-a787-17b3198fc6ab --cost 12.50 --bank-reference BR-2201 --dry-run`,
    ],
    prints: 'what was charged; it is a line of the next invoice. Nothing moves at the bank by this.',
  });
}

export function addExceptionCommands(kelpie: Command): void {
  const exceptions = kelpie
    .command('exceptions')
    .description('Charge partners for what the bank bills us: returns, recalls and traces.');
  addList(exceptions);
  for (const kind of ['return', 'recall', 'trace'] as const) addCharging(exceptions, kind);
  addGroupHelp(exceptions, {
    when: 'Returns are charged by themselves where the bank’s record tells the cost. All else comes with the bank’s bill, and is charged here, once for each of its references.',
    examples: [
      'kelpie-admin exceptions list --partner acme',
      'kelpie-admin exceptions recall 01a1dfa5-aff2-7036-a787-17b3198fc6ab --cost 12.50 --bank-reference BR-2201',
    ],
  });
}
