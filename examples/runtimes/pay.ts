// bun pay.ts · deno run --allow-env --allow-net pay.ts · node pay.ts
import { createKelpie, KelpieError, verifyWebhook } from '@kelpie/sdk';
import { signWebhook } from '@kelpie/sdk/testing';

const kelpie = createKelpie(); // reads KELPIE_API_KEY and KELPIE_BASE_URL
const payout = await kelpie.payouts.createAndWait(
  {
    amount_gbp: '15.00',
    reference: 'Runtimes',
    recipient: {
      first_name: 'Ada',
      last_name: 'Byron',
      address: { line1: '1 High Street', city: 'Leeds', postal_code: 'LS1 1AA' },
      bank: { bank_name: 'Example Bank', sort_code: '040004', account_number: '12345678' },
    },
  },
  { idempotencyKey: `runtimes-${crypto.randomUUID()}` },
);
console.log('payout', payout.status);

for await (const event of kelpie.events.listAll({ limit: 1 })) {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const request = new Request('https://example.com/hooks', { method: 'POST', ...(await signWebhook(event, secret)) });
  const verified = await verifyWebhook(request, secret);
  console.log('webhook', verified.id === event.id);
  break;
}

try {
  await kelpie.payouts.get('01a1e3b1-25d4-7c3e-b5d1-0f4a9e6b2d71');
} catch (error) {
  console.log('error', error instanceof KelpieError ? error.code : error);
}
