import { InvalidArgumentError, type Command } from 'commander';
import type { Payout, PayoutFilters, PayoutStatus } from '../../index.ts';
import { addHelp } from '../help.ts';
import { instant, withJson, withLimit, withWait, type JsonOption, type WaitOptions } from '../option-values.ts';
import { note, pounds, print, shortInstant, table } from '../printing.ts';
import { connectKelpie, readSettings } from '../settings.ts';
import { addCreatePayout } from './create-payout.ts';
import { addImportPayouts } from './import-payouts.ts';
import { showPayout } from './show-payout.ts';

const statuses = ['pending', 'processing', 'completed', 'failed', 'cancelled', 'returned'] as const;

function statusesFrom(text: string): PayoutStatus[] {
  return text.split(',').map((name) => {
    const status = statuses.find((known) => known === name.trim());
    if (status === undefined) throw new InvalidArgumentError(`Use one or more of ${statuses.join(', ')}.`);
    return status;
  });
}

interface ListOptions extends JsonOption {
  limit: number;
  cursor?: string;
  status?: PayoutStatus[];
  reference?: string;
  idempotencyKey?: string;
  createdAfter?: Date;
  createdBefore?: Date;
}

function filtersFrom(options: ListOptions): PayoutFilters {
  const { limit, cursor, status, reference, idempotencyKey, createdAfter, createdBefore } = options;
  return {
    limit,
    ...(cursor === undefined ? {} : { cursor }),
    ...(status === undefined ? {} : { status }),
    ...(reference === undefined ? {} : { reference }),
    ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
    ...(createdAfter === undefined ? {} : { created_after: createdAfter.toISOString() }),
    ...(createdBefore === undefined ? {} : { created_before: createdBefore.toISOString() }),
  };
}

function rowOf(payout: Payout): string[] {
  return [
    payout.id,
    payout.status,
    payout.failure_code ?? '-',
    pounds(payout.amount_gbp),
    payout.recipient.name ?? '-',
    payout.reference ?? '-',
    shortInstant(payout.created_at),
  ];
}

async function listPayouts(options: ListOptions): Promise<void> {
  const { data, next } = await connectKelpie(readSettings()).payouts.list(filtersFrom(options));
  const names = ['PAYOUT', 'STATUS', 'FAILURE', 'AMOUNT', 'RECIPIENT', 'REFERENCE', 'CREATED'];
  print(
    options.json,
    { object: 'list', data, next_cursor: next ?? null },
    table(names, data.map(rowOf), 'No payouts found.'),
  );
  if (next !== undefined && !options.json) note(`More: add --cursor ${next}`);
}

function addList(payouts: Command): void {
  const list = withLimit(withJson(payouts.command('list')))
    .description('List payouts, the newest first.')
    .option('--status <statuses>', `one or more of ${statuses.join(', ')}, separated by commas`, statusesFrom)
    .option('--reference <text>', 'only those with this reference')
    .option('--idempotency-key <key>', 'only the one that this key created')
    .option('--created-after <time>', 'only those created then or later', instant)
    .option('--created-before <time>', 'only those created earlier', instant)
    .option('--cursor <cursor>', 'where the list goes on, as the page before says')
    .action(listPayouts);
  addHelp(list, {
    examples: ['kelpie payouts list --status failed,returned --created-after 2026-11-01'],
    prints: 'One line per payout. With --json, {"object": "list", "data": […], "next_cursor": …}.',
  });
}

function addGet(payouts: Command): void {
  const get = withWait(withJson(payouts.command('get')))
    .argument('<id>', 'payout id')
    .description('Show a payout.')
    .action(async (id: string, options: JsonOption & WaitOptions) => {
      const kelpie = connectKelpie(readSettings());
      await showPayout(kelpie, await kelpie.payouts.get(id), options);
    });
  addHelp(get, {
    examples: ['kelpie payouts get 01a1dfa5-aff2-7036-a787-17b3198fc6ab --wait'],
    prints: 'The payout. Exit code 1 if it failed, was cancelled or was returned.',
  });
}

export function addPayoutCommands(program: Command): void {
  const payouts = program.command('payouts').description('Create, import, list and follow payouts.');
  addCreatePayout(payouts);
  addImportPayouts(payouts);
  addList(payouts);
  addGet(payouts);
}
