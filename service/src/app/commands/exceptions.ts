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

type Kind = 'return' | 'recall' | 'trace';

function rowOf(one: ChargedException): string[] {
  return [
    shortInstant(one.at),
    one.partner,
    one.kind,
    pounds(one.chargedPence),
    one.payoutId,
    one.bankReference ?? '-',
    one.by ?? 'automatic',
  ];
}

function addList(exceptions: Command): void {
  const list = limited(readCommand(exceptions.command('list')))
    .description('List charges for returns, recalls and traces, newest first.')
    .option('--partner <partner>', 'only charges of this partner (slug or id)')
    .action(async ({ json, partner, limit }: ReadOptions & { partner?: string; limit: number }) => {
      const found = await look(async (tx) =>
        listExceptions(tx, { partnerId: await partnerFilter(tx, partner), atMost: limit }),
      );
      const names = ['CHARGED AT', 'PARTNER', 'KIND', 'CHARGE', 'PAYOUT', 'BANK REFERENCE', 'OPERATOR'];
      print({ json }, found, table(names, found.map(rowOf), 'No charges match.'));
    });
  addHelp(list, {
    example: 'kelpie-admin exceptions list --partner acme',
    prints: 'One line per charge, markup included. Returns that Kelpie charged automatically have no bank reference.',
  });
}

function costFrom(text: string): bigint {
  const cost = parsePounds(text);
  if (cost === undefined || cost === 0n)
    throw new InvalidArgumentError('Use pounds and pence above zero, for example 12.50.');
  return cost;
}

function referenceFrom(text: string): string {
  if (text.trim() === '' || text.length > 100) throw new InvalidArgumentError('Use 1 to 100 characters.');
  return text;
}

interface ChargeOptions extends WriteOptions {
  cost: bigint;
  bankReference: string;
}

function refuse(kind: Kind, id: string, { environment, state, chargedByRecord }: BilledPayout): void {
  if (environment !== 'live')
    throw new OperatorError(`Payout ${id} is a sandbox payout. Sandbox payouts are never charged.`, 'never_charged');
  if (kind !== 'return') return;
  if (state !== 'returned')
    throw new OperatorError(
      `Payout ${id} is ${state}, not returned. Use \`exceptions recall\` or \`exceptions trace\`.`,
    );
  if (chargedByRecord > 0n)
    throw new OperatorError(
      `The return of payout ${id} is already charged: ${pounds(chargedByRecord)}, from the bank's record.`,
      'nothing_to_do',
    );
}

async function getBilledPayout(kind: Kind, text: string): Promise<{ id: string; payout: BilledPayout }> {
  const id = idFrom(text);
  const payout = id === undefined ? null : await look(async (tx) => findBilledPayout(tx, id));
  if (id === undefined || payout === null)
    throw new OperatorError(`No payout has the id ${text}. Use the "id" from the API.`, 'not_found');
  refuse(kind, id, payout);
  return { id, payout };
}

async function charge(kind: Kind, text: string, options: ChargeOptions): Promise<void> {
  const { json, dryRun, cost, bankReference } = options;
  const { id: payoutId, payout } = await getBilledPayout(kind, text);
  const { partnerId, partner } = payout;
  const { charged, written } = await withOperator('service', async (deps) =>
    runAudited({ ...deps, context: { partnerId, environment: 'live' } }, options, async (tx) => {
      const detail = { bank_reference: bankReference, cost_gbp: formatPounds(cost) };
      const recorded = await deps.record(tx, { action: `exception.${kind}`, subject: payoutId, detail });
      const billed = { partnerId, payoutId, bankReference, cost, at: deps.clock.now(), by: deps.operator };
      const amount = await chargeException(tx, billed);
      if (amount === null)
        throw new OperatorError(
          `${bankReference} is already charged to ${partner}. Nothing changed. \`kelpie-admin exceptions list --partner ${partner}\` shows the charge.`,
          'nothing_to_do',
        );
      return { charged: amount, written: recorded };
    }),
  );
  const sentence = `Charged ${pounds(charged)} to ${partner} for the ${kind} of payout ${payoutId} (bank cost ${pounds(cost)}).`;
  const done = { kind, payoutId, partner, bankReference, costPence: cost, chargedPence: charged };
  print({ json }, { ...done, ...doneAsJson(dryRun, written) }, describeDone(sentence, dryRun, written));
}

const kinds: Readonly<Record<Kind, string>> = {
  return: 'Use it for a returned payout whose cost was missing from the bank’s record.',
  recall: 'In a recall, the bank asks the recipient’s bank to send a payout back.',
  trace: 'In a trace, the bank searches for a payout that the recipient has not received.',
};

function addCharging(exceptions: Command, kind: Kind): void {
  const command = writeCommand(exceptions.command(kind))
    .argument('<payout>', 'payout id')
    .description(
      `Charge a partner for a ${kind} that the bank billed. ${kinds[kind]} The charge is the bank’s cost plus the markup of the partner’s price plan. Each bank reference is charged once. No money moves at the bank.`,
    )
    .requiredOption('--cost <pounds>', 'what the bank billed in GBP, for example 12.50', costFrom)
    .requiredOption('--bank-reference <text>', 'the bank’s reference for its bill', referenceFrom)
    .action(async (payout: string, options: ChargeOptions) => charge(kind, payout, options));
  addHelp(command, {
    example: `kelpie-admin exceptions ${kind} 01a1dfa5-aff2-7036-a787-17b3198fc6ab --cost 12.50 --bank-reference BR-2201 --dry-run`,
    prints: 'The charge, which goes on the next invoice, and the audit log entry.',
  });
}

export function addExceptionCommands(kelpie: Command): void {
  const exceptions = kelpie.command('exceptions').description('Charge partners for returns, recalls and traces.');
  addList(exceptions);
  for (const kind of ['return', 'recall', 'trace'] as const) addCharging(exceptions, kind);
  addGroupHelp(exceptions, {
    about:
      'Kelpie charges a return automatically when the bank’s record has its cost. Charge the rest here when the bank’s bill arrives.',
    example: 'kelpie-admin exceptions list --partner acme',
  });
}
