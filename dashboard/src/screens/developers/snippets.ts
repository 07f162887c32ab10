interface Snippet {
  title: string;
  code: string;
}

/** The first payout in each language, with the prefix of the reader's own key. */
export function snippets(url: string, prefix: string): Snippet[] {
  const key = `${prefix}…`;
  return [
    {
      title: 'curl',
      code: `KEY='${key}'
curl ${url}/v1/payouts \\
  -H "Authorization: Bearer $KEY" \\
  -H 'Idempotency-Key: order-42' \\
  -H 'Content-Type: application/json' \\
  -d '{
    "amount_gbp": "25.00",
    "reference": "Order 42",
    "recipient": {
      "first_name": "Ada", "last_name": "Byron",
      "address": {"line1": "1 High Street", "city": "Leeds",
        "postal_code": "LS1 1AA"},
      "bank": {"bank_name": "Example Bank",
        "sort_code": "040004", "account_number": "12345678"}
    }
  }'`,
    },
    {
      title: 'TypeScript',
      code: `import { createKelpie } from '@kelpie/sdk';

const kelpie = createKelpie({
  baseUrl: '${url}',
  apiKey: process.env.KELPIE_API_KEY ?? '', // ${key}
});

// Your own ID for this payout. A repeat returns the same payout and never pays twice.
const { payout } = await kelpie.payouts.create(
  {
    amount_gbp: '25.00',
    reference: 'Order 42',
    recipient: {
      first_name: 'Ada',
      last_name: 'Byron',
      address: { line1: '1 High Street', city: 'Leeds', postal_code: 'LS1 1AA' },
      bank: { bank_name: 'Example Bank', sort_code: '040004', account_number: '12345678' },
    },
  },
  { idempotencyKey: 'order-42' },
);
console.log(payout.id, payout.status);`,
    },
    {
      title: 'Python',
      code: `import json, os, urllib.request

order = {
    "amount_gbp": "25.00",
    "reference": "Order 42",
    "recipient": {
        "first_name": "Ada", "last_name": "Byron",
        "address": {"line1": "1 High Street", "city": "Leeds", "postal_code": "LS1 1AA"},
        "bank": {"bank_name": "Example Bank", "sort_code": "040004", "account_number": "12345678"},
    },
}
request = urllib.request.Request(
    "${url}/v1/payouts",
    data=json.dumps(order).encode(),
    headers={
        "Authorization": f"Bearer {os.environ['KELPIE_API_KEY']}",  # ${key}
        "Idempotency-Key": "order-42",
        "Content-Type": "application/json",
    },
)
print(json.load(urllib.request.urlopen(request)))`,
    },
  ];
}
