import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Option, type Command } from 'commander';
import type { CreatePayoutRequest } from '../../index.ts';
import { described, isObject, parseJson, textOf } from '../../json.ts';
import { CommandError } from '../command-error.ts';
import { addHelp } from '../help.ts';
import { idempotencyKey, withJson, withWait, type JsonOption, type WaitOptions } from '../option-values.ts';
import { orderFrom } from '../order.ts';
import { note } from '../printing.ts';
import { connectKelpie, readSettings } from '../settings.ts';
import { showPayout } from './show-payout.ts';

/** Each flag of an order, and the field that it gives. */
const fieldOf = {
  amount: 'amount_gbp',
  reference: 'reference',
  type: 'type',
  firstName: 'first_name',
  lastName: 'last_name',
  email: 'email',
  line1: 'line1',
  line2: 'line2',
  city: 'city',
  region: 'region',
  postalCode: 'postal_code',
  bankName: 'bank_name',
  sortCode: 'sort_code',
  accountNumber: 'account_number',
} as const;

const optionalFields: ReadonlySet<string> = new Set(['reference', 'type', 'email', 'line2', 'region']);

type OrderFlags = { [Flag in keyof typeof fieldOf]?: string };

interface CreateOptions extends JsonOption, WaitOptions, OrderFlags {
  file?: string;
  idempotencyKey?: string;
}

function flagOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The values of an order by the names of their fields. */
function givenIn(options: CreateOptions): Map<string, string> {
  const flags: OrderFlags = options;
  return new Map(
    Object.entries(fieldOf).flatMap(([flag, field]) => {
      const value = textOf(flags, flag);
      return value === undefined ? [] : [[field, value]];
    }),
  );
}

function orderFromFlags(given: ReadonlyMap<string, string>): CreatePayoutRequest {
  const missing = Object.entries(fieldOf).filter(([, field]) => !given.has(field) && !optionalFields.has(field));
  if (missing.length === 0) return orderFrom((field) => given.get(field) ?? '');
  const flags = missing.map(([flag]) => flagOf(flag)).join(', ');
  throw new CommandError('usage', 'usage', `Missing: ${flags}. Or pass the whole order with --file order.json.`);
}

/** What the order lacks is for the API to say: it names every fault at once. */
function orderFromFile(file: string): CreatePayoutRequest {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch {
    throw new CommandError('data', 'file_unreadable', `${file} cannot be read.`);
  }
  const order = parseJson(text);
  if (!isObject(order) || Array.isArray(order))
    throw new CommandError('data', 'file_invalid', `${file} is not a JSON object.`);
  return described<CreatePayoutRequest>(order);
}

function orderOf(options: CreateOptions): CreatePayoutRequest {
  const given = givenIn(options);
  if (options.file === undefined) return orderFromFlags(given);
  if (given.size === 0) return orderFromFile(options.file);
  throw new CommandError('usage', 'usage', 'Pass the order with --file or with flags, not with both.');
}

/** The key is printed before the request leaves: whatever ends this process, the payout can be repeated under it. */
async function createPayout(options: CreateOptions): Promise<void> {
  const order = orderOf(options);
  const kelpie = connectKelpie(readSettings());
  const key = options.idempotencyKey ?? randomUUID();
  if (options.idempotencyKey === undefined)
    note(`Idempotency-Key: ${key}\nTo repeat this payout without paying twice, add --idempotency-key ${key}`);
  const { payout, replayed } = await kelpie.payouts.create(order, { idempotencyKey: key });
  if (replayed && !options.json) note('This key created the payout before. Nothing was paid again.');
  await showPayout(kelpie, payout, options);
}

export function addCreatePayout(payouts: Command): void {
  const create = withWait(withJson(payouts.command('create')))
    .description(
      'Create a payout. Repeated with the same --idempotency-key and the same order, it pays once. Flags stay in the history of your shell, so prefer --file for real bank details.',
    )
    .option('--file <json>', 'the order as a JSON file, or - for standard input')
    .option('--idempotency-key <key>', 'your own id of this payout; a random one by default', idempotencyKey)
    .option('--amount <gbp>', 'what the recipient receives, in pounds, for example 25.00')
    .option('--reference <text>', 'your own reference')
    .addOption(new Option('--type <type>', 'the kind of recipient').choices(['individual', 'business']))
    .option('--first-name <text>', 'first name of the recipient')
    .option('--last-name <text>', 'last name of the recipient')
    .option('--email <address>', 'email address of the recipient')
    .option('--line1 <text>', 'first line of the address')
    .option('--line2 <text>', 'second line of the address')
    .option('--city <text>', 'town or city')
    .option('--region <text>', 'county or region')
    .option('--postal-code <text>', 'postcode')
    .option('--bank-name <text>', 'name of the bank')
    .option('--sort-code <digits>', 'sort code, 6 digits')
    .option('--account-number <digits>', 'account number, 8 digits')
    .action(createPayout);
  addHelp(create, {
    examples: [
      'kelpie payouts create --file order.json --idempotency-key order-42 --wait',
      'kelpie payouts create --amount 25.00 --first-name Ada --last-name Byron --line1 "1 High Street" --city Leeds --postal-code "LS1 1AA" --bank-name "Example Bank" --sort-code 040004 --account-number 12345678',
    ],
    prints: 'The payout. With --wait, the payout once it is final; exit code 1 if it was not paid.',
  });
}
