import { randomUUID } from 'node:crypto';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt } from '@kelpie/dev/json.ts';
import { bankOf, cancelPayout, createPayout, payoutBody, type ApiAnswer, type Client } from '../harness/client.ts';
import { addKey } from '../harness/partners.ts';
import type { Attack } from './attempts.ts';
import { actConfirmed, codesTo, untilMailed } from './confirmed.ts';
import { createVictim, paidPence, payAs, type Stage, type Victim } from './stage.ts';

// Attacks with a stolen key or session on how much of a wallet can leave in a day.

const dailyPence = 5_000_000n;
const newKeyPence = 100_000n;
/** Enough for four times the daily limit. */
const richUsdc = 300_000n;

/** To an account of its own for each number. A thief comes back while the bank is too slow for him. */
async function pay(client: Client, amount: string, account: number): Promise<ApiAnswer> {
  const body = payoutBody({ amount_gbp: amount }, bankOf(String(10_000_001 + account)));
  const key = randomUUID();
  return eventually('an answer other than 502', async () => {
    const answer = await createPayout(client, body, key);
    return answer.status === 502 ? undefined : answer;
  });
}

/** So many at once, of the same amount, over all these clients. */
async function payAtOnce(
  clients: readonly Client[],
  count: number,
  amount: string,
  firstAccount = 0,
): Promise<ApiAnswer[]> {
  const asked = Array.from({ length: count }, async (_, nth) => {
    const client = clients[nth % clients.length];
    if (client === undefined) throw new Error('nobody pays');
    return pay(client, amount, firstAccount + nth);
  });
  return Promise.all(asked);
}

function clientsOf({ apis }: Stage, keys: readonly string[]): Client[] {
  return keys.flatMap((key) => apis.map(({ url }) => ({ url, key })));
}

/** A refusal other than that of a cap would show nothing. */
function assertCapped(answers: readonly ApiAnswer[]): void {
  const odd = answers.find(({ status, code }) => status !== 201 && code !== 'limit_exceeded');
  if (odd !== undefined) throw new Error(`refused for another reason: ${odd.text}`);
  if (!answers.some(({ status }) => status === 201)) throw new Error('nothing was paid at all');
}

const keyDrains: Attack = {
  name: 'key-drains',
  tries: 'a stolen live key pays as much as it can at once: 20,000.00 and 5,000.00, 40 times',
  async run(stage, attempts) {
    const victim = await createVictim(stage, { liveUsdc: richUsdc });
    const clients = clientsOf(stage, [victim.live.key]);
    const answers = [...(await payAtOnce(clients, 20, '20000.00')), ...(await payAtOnce(clients, 20, '5000.00'))];
    const paid = await paidPence(stage, victim.partnerId);
    attempts.add(`${paid} pence left`, paid > dailyPence);
    assertCapped(answers);
  },
};

const capSplit: Attack = {
  name: 'cap-split',
  tries: 'five stolen live keys pay the daily limit each, on two processes at once, in 100 pieces',
  async run(stage, attempts) {
    const victim = await createVictim(stage, { liveUsdc: richUsdc });
    const keys = [victim.live.key];
    while (keys.length < 5) keys.push((await addKey(stage.world.database, victim.live)).key);
    const answers = await payAtOnce(clientsOf(stage, keys), 100, '1000.00');
    const paid = await paidPence(stage, victim.partnerId);
    attempts.add(`${paid} pence left`, paid > dailyPence);
    assertCapped(answers);
  },
};

/** A second live key, made with a session and its mailbox. */
async function newLiveKey(stage: Stage, { admin }: Victim, body: object = {}): Promise<ApiAnswer> {
  const made = await actConfirmed(stage, admin, {
    method: 'POST',
    path: '/v1/keys',
    body: { environment: 'live', ...body },
  });
  if (made.status !== 201) throw new Error(`no key: ${made.text}`);
  return made;
}

const newKeyDrains: Attack = {
  name: 'new-key-drains',
  tries: 'a live key that was just made with a phished code pays more than 1,000.00, also once rolled or replaced',
  async run(stage, attempts) {
    const victim = await createVictim(stage, { liveUsdc: richUsdc });
    const made = await newLiveKey(stage, victim);
    const secrets = [textAt(made.json, 'secret')];
    assertCapped(await payAtOnce(clientsOf(stage, secrets), 20, '300.00'));
    const rolled = await actConfirmed(stage, victim.admin, {
      method: 'POST',
      path: `/v1/keys/${made.id}/roll`,
      body: {},
    });
    secrets.push(textAt(rolled.json, 'secret'));
    const more = await payAtOnce(clientsOf(stage, secrets), 20, '300.00');
    attempts.add(
      'a rolled key starts anew',
      more.some(({ status }) => status === 201),
    );
    const paid = await paidPence(stage, victim.partnerId);
    attempts.add(`${paid} pence left`, paid > newKeyPence);
  },
};

/** A payout as an admin makes it, with the code from the email. */
async function payByMailbox(stage: Stage, { admin }: Victim, amount: string): Promise<void> {
  const key = randomUUID();
  await untilMailed(stage);
  const before = codesTo(stage, admin.email).length;
  const asked = await payAs(admin, { amount, key });
  if (asked.code !== 'confirmation_required') return;
  const code = await eventually('the code is emailed', async () => {
    const codes = codesTo(stage, admin.email);
    return codes.length > before && codes[0];
  });
  await payAs(admin, { amount, key, code });
}

const mailboxDrains: Attack = {
  name: 'mailbox-drains',
  tries: "an admin's session and mailbox pay more than the daily limit, by codes and by a key of their own",
  async run(stage, attempts) {
    const victim = await createVictim(stage, { liveUsdc: richUsdc });
    const secret = textAt((await newLiveKey(stage, victim)).json, 'secret');
    for (let count = 0; count < 3; count += 1) await payByMailbox(stage, victim, '20000.00');
    await payAtOnce(clientsOf(stage, [secret]), 30, '500.00');
    const paid = await paidPence(stage, victim.partnerId);
    if (paid < 2_000_000n) throw new Error('nothing was paid at all');
    attempts.add(`${paid} pence left`, paid > dailyPence);
  },
};

const giveBackFarmed: Attack = {
  name: 'give-back-farmed',
  tries: 'payouts are cancelled, or made to be refused by the bank, so that more is given back than was spent',
  async run(stage, attempts) {
    const { bank } = stage.world;
    const victim = await createVictim(stage, { liveUsdc: richUsdc });
    const clients = clientsOf(stage, [victim.live.key]);
    const refusal = { on: 'transfer.create', kind: 'reject', times: 2, code: 'invalid_parameters', status: 400 };
    for (let round = 0; round < 6; round += 1) {
      const made = await payAtOnce(clients, 4, '5000.00', 100 * round);
      const ids = made.flatMap(({ status, id }) => (status === 201 ? [id] : []));
      await Promise.all(
        ids.flatMap((id) => clients.flatMap((client) => [cancelPayout(client, id), cancelPayout(client, id)])),
      );
      await bank.control('/faults', refusal);
      await payAtOnce(clients, 2, '4000.00', 100 * round + 50);
    }
    const paid = await paidPence(stage, victim.partnerId);
    attempts.add(`${paid} pence left`, paid > dailyPence);
  },
};

const dayMs = 86_400_000;

/** How long until the day ends in London, by the clock of the api. */
function untilMidnightMs(now: Date): number {
  const hours = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/London',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  }).formatToParts(now);
  const value = (type: string): number => Number(hours.find((part) => part.type === type)?.value ?? 0);
  return dayMs - (value('hour') * 3_600 + value('minute') * 60 + value('second')) * 1_000;
}

const midnight: Attack = {
  name: 'london-midnight',
  tries: 'a stolen key pays around midnight in London, to spend one day twice',
  async run(stage, attempts) {
    const { clock, sql } = stage;
    const victim = await createVictim(stage, { liveUsdc: richUsdc });
    const clients = clientsOf(stage, [victim.live.key]);
    const moved = untilMidnightMs(new Date()) - 2_000;
    clock.move(moved);
    try {
      for (let round = 0; round < 8; round += 1) {
        await payAtOnce(clients, 10, '5000.00');
        clock.move(1_000);
      }
      clock.move(-8_000);
      const days = await sql<{ day: string; pence: string }>(
        `select (kelpie.instant_of(id) at time zone 'Europe/London')::date::text as day, sum(amount_pence) as pence
         from kelpie.payouts where partner_id = $1 and state in ('sending', 'pending', 'processing', 'completed') group by 1`,
        [victim.partnerId],
      );
      if (days.length !== 2) throw new Error(`${days.length} days`);
      for (const { day, pence } of days) attempts.add(`${pence} pence on ${day}`, BigInt(pence) > dailyPence);
    } finally {
      clock.move(-moved);
    }
  },
};

export const spendingAttacks: readonly Attack[] = [
  keyDrains,
  capSplit,
  newKeyDrains,
  mailboxDrains,
  giveBackFarmed,
  midnight,
];
