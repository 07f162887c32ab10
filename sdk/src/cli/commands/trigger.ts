import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Argument, Option, type Command } from 'commander';
import type { CreatePayoutRequest, Event, Kelpie } from '../../index.ts';
import { textOf } from '../../json.ts';
import { CommandError } from '../command-error.ts';
import { addHelp } from '../help.ts';
import { findLastSequence } from '../listening/last-sequence.ts';
import { withJson, type JsonOption } from '../option-values.ts';
import { fields, print, shortInstant } from '../printing.ts';
import { connectSandbox, failureCodes, returnCodes } from './sandbox-only.ts';

type ReturnCode = (typeof returnCodes)[number];

/** What has the event. */
interface Trigger {
  kelpie: Kelpie;
  failureCode: ReturnCode | undefined;
}

const order: CreatePayoutRequest = {
  amount_gbp: '10.00',
  reference: 'Triggered event',
  recipient: {
    first_name: 'Test',
    last_name: 'Recipient',
    address: { line1: '1 High Street', city: 'Leeds', postal_code: 'LS1 1AA' },
    bank: { bank_name: 'Example Bank', sort_code: '040004', account_number: '12345678' },
  },
};

async function createTestPayout(kelpie: Kelpie): Promise<string> {
  const { payout } = await kelpie.payouts.create(order, { idempotencyKey: `trigger-${randomUUID()}` });
  return payout.id;
}

/** How each event is brought about. Returns the id of the resource that it is about. */
const triggers = {
  'payout.pending': async ({ kelpie }: Trigger) => {
    await kelpie.sandbox.setBank({ answers: 'lost', times: 1 });
    return createTestPayout(kelpie);
  },
  'payout.processing': async ({ kelpie }: Trigger) => createTestPayout(kelpie),
  'payout.completed': async ({ kelpie }: Trigger) => createTestPayout(kelpie),
  'payout.failed': async ({ kelpie, failureCode }: Trigger) => {
    const code = failureCodes.find((known) => known === failureCode);
    const id = await createTestPayout(kelpie);
    await kelpie.sandbox.failPayout(id, code === undefined ? {} : { failure_code: code });
    return id;
  },
  'payout.cancelled': async ({ kelpie }: Trigger) => {
    const id = await createTestPayout(kelpie);
    await kelpie.sandbox.holdPayout(id);
    await kelpie.payouts.cancel(id);
    return id;
  },
  'payout.returned': async ({ kelpie, failureCode }: Trigger) => {
    const id = await createTestPayout(kelpie);
    await kelpie.sandbox.returnPayout(id, failureCode === undefined ? {} : { failure_code: failureCode });
    return id;
  },
  'deposit.credited': async ({ kelpie }: Trigger) => (await kelpie.sandbox.createDeposit({ amount_gbp: '100.00' })).id,
} as const;

type TriggeredType = keyof typeof triggers;

function codesFor(type: TriggeredType): readonly ReturnCode[] {
  if (type === 'payout.failed') return failureCodes;
  return type === 'payout.returned' ? returnCodes : [];
}

function assertCodeFits(type: TriggeredType, code: ReturnCode | undefined): void {
  const codes = codesFor(type);
  if (code === undefined || codes.includes(code)) return;
  const allowed = codes.length === 0 ? 'It has no --failure-code.' : `Use one of ${codes.join(', ')}.`;
  throw new CommandError('usage', 'usage', `${type} cannot have ${code}. ${allowed}`);
}

const timeoutMs = 60_000;
const pollMs = 250;

async function waitForEvent(kelpie: Kelpie, after: number, type: TriggeredType, about: string): Promise<Event> {
  const endsAt = performance.now() + timeoutMs;
  for (let last = after; ;) {
    const { data } = await kelpie.events.list({ after: last, limit: 200 });
    const found = data.find((event) => event.type === type && textOf(event.data, 'id') === about);
    if (found !== undefined) return found;
    if (performance.now() > endsAt) {
      const message = `No ${type} of ${about} within ${timeoutMs / 1_000} s. It may still come: see \`kelpie events --after ${after}\`.`;
      throw new CommandError('again', 'no_event', message);
    }
    last = data.at(-1)?.sequence ?? last;
    await delay(pollMs);
  }
}

async function trigger(type: TriggeredType, { json, failureCode }: JsonOption & { failureCode?: ReturnCode }) {
  assertCodeFits(type, failureCode);
  const kelpie = connectSandbox();
  const last = await findLastSequence(kelpie);
  const about = await triggers[type]({ kelpie, failureCode });
  const event = await waitForEvent(kelpie, last, type, about);
  const text = fields([
    ['event', event.id],
    ['sequence', String(event.sequence)],
    ['type', event.type],
    ['about', about],
    ['status', textOf(event.data, 'status')],
    ['failure', textOf(event.data, 'failure_code')],
    ['created', shortInstant(event.created_at)],
  ]);
  print(json, event, text);
}

export function addTriggerCommand(program: Command): void {
  const command = withJson(program.command('trigger'))
    .addArgument(new Argument('<type>', 'the type of the event').choices(Object.keys(triggers)))
    .description(
      'Cause an event in the sandbox, and wait for it. It moves test money: a payout of 10.00 GBP, or a deposit of 100.00 GBP. Webhooks and `kelpie listen` receive the event too.',
    )
    .addOption(new Option('--failure-code <code>', 'why the payout fails or is returned').choices(returnCodes))
    .action(trigger);
  addHelp(command, {
    examples: ['kelpie trigger payout.returned', 'kelpie trigger payout.failed --failure-code account_closed'],
    prints: 'The event. Events before it, such as payout.processing, are caused too.',
  });
}
