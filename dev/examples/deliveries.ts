import { createHmac, randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { textAt } from '../json.ts';

/** As Standard Webhooks says it. */
export function signedHeaders(id: string, body: string, secret: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}

/** Each of them as often as asked, in an order of chance. */
function shuffled<Item>(items: readonly Item[], times: number): Item[] {
  const all = Array.from({ length: times }, () => items).flat();
  for (let place = all.length - 1; place > 0; place -= 1) {
    const other = randomInt(place + 1);
    const [one, two] = [all[place], all[other]];
    if (one === undefined || two === undefined) continue;
    all[place] = two;
    all[other] = one;
  }
  return all;
}

const mostAttempts = 400;

/** Until the receiver accepts it, as Kelpie does. */
async function deliver(address: string, event: object, secret: string): Promise<void> {
  const body = JSON.stringify({ ...event, webhook: { id: textAt(event, 'id'), previous_sequence: null } });
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const headers = signedHeaders(textAt(event, 'id'), body, secret);
    const status = await fetch(address, { method: 'POST', headers, body }).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 204) return;
    if (status >= 400 && status < 500) throw new Error(`the receiver refuses with ${status}`);
    await wait(50);
  }
  throw new Error('the receiver never accepted an event');
}

/** Every event three times, in disorder, four at a time. */
export async function deliverInDisorder(address: string, events: readonly object[], secret: string): Promise<void> {
  const waiting = shuffled(events, 3).values();
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (const event of waiting) await deliver(address, event, secret);
    }),
  );
}
