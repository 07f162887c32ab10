import { randomUUID } from 'node:crypto';
import { callAs, signIn, type Person } from '../harness/people.ts';
import { bankOf, payoutBody, type ApiAnswer } from '../harness/client.ts';
import type { Attack } from './attempts.ts';
import { createVictim, paidPence } from './stage.ts';

// Attacks with one emailed code that was phished.

const refused = '422 invalid_confirm_code';

const payoutCodeMoved: Attack = {
  name: 'payout-code-moved',
  tries: 'the code of one payout confirms another amount, recipient, key, session or person',
  async run(stage, attempts) {
    const { world, apis } = stage;
    const victim = await createVictim(stage);
    const { admin } = victim;
    const key = randomUUID();
    const pay = async (person: Person, change: { key?: string; body?: object; code?: string }): Promise<ApiAnswer> =>
      callAs(person, '/v1/payouts?environment=live', {
        method: 'POST',
        body: {
          ...(change.body ?? payoutBody({ amount_gbp: '10.00' })),
          ...(change.code === undefined ? {} : { confirm_code: change.code }),
        },
        headers: { 'idempotency-key': change.key ?? key },
      });
    const asked = await pay(admin, {});
    if (asked.code !== 'confirmation_required') throw new Error(asked.text);
    const code = await codeOfPayout(stage, admin);
    const others: { key?: string; body?: object }[] = [
      { key: randomUUID() },
      { body: payoutBody({ amount_gbp: '10.01' }) },
      { body: payoutBody({ amount_gbp: '10.00', reference: 'Order 43' }) },
      { body: payoutBody({ amount_gbp: '10.00' }, bankOf('12345678')) },
      { body: payoutBody({ amount_gbp: '10.00' }, { last_name: 'Byron' }) },
    ];
    for (const [nth, other] of others.entries())
      attempts.mustBe(`order ${nth}`, await pay(admin, { ...other, code }), refused);
    const elsewhere = await signIn(world.database, victim.sandbox, { url: apis[1].url, email: admin.email });
    attempts.mustBe('another session', await pay(elsewhere, { code }), refused);
    const other = await signIn(world.database, victim.sandbox, { url: apis[1].url });
    attempts.mustBe('another person', await pay(other, { code }), refused);
    const paid = await paidPence(stage, victim.partnerId);
    attempts.add(`${paid} pence were paid`, paid > 0n);
  },
};

async function codeOfPayout(stage: Parameters<Attack['run']>[0], { email }: Person): Promise<string> {
  const mail = await stage.inbox.waitForMail(email, 30_000);
  return /^ +(\d{6})$/m.exec(mail.text)?.[1] ?? '';
}

export const codeAttacks: readonly Attack[] = [payoutCodeMoved];
