/** The opening of the reference, in Markdown. Every command in it runs when pasted. */
export function introduction(server: string): string {
  return `Pay UK bank accounts in pounds from your own USDC wallet. You state the amount that the recipient receives. Kelpie debits the wallet and pays by Faster Payments, usually within minutes. The [docs](${server}/docs) have a quickstart and guides.

## Authentication

Create an API key in the dashboard and send it with every request. Keep it on your server.

\`\`\`sh
export KELPIE_API_KEY=kp_sandbox_…
curl "${server}/v1/balance" \\
  -H "Authorization: Bearer $KELPIE_API_KEY"
\`\`\`

Every \`curl\` command on this page runs as it is once you have exported your key. Operations under **Dashboard** need a dashboard session instead of a key.

## Environments

The key decides the environment; the address is the same. **Sandbox** keys (\`kp_sandbox_…\`) move test money, and work as soon as you sign up. **Live** keys (\`kp_live_…\`) move real money, once your business is verified. In sandbox, an account number that ends in \`0000\` always fails.

## Idempotency

Creating a payout requires an \`Idempotency-Key\` header: your own id for the payout. Retry with the same key and body after a timeout or a 5xx response. Kelpie returns the payout that the first request created, with \`Idempotent-Replayed: true\`, and never pays twice. Keys do not expire.

## Payout status

Retrieve a payout until its status is \`completed\`, \`failed\`, \`cancelled\` or \`returned\`. With \`?wait=20\` one request waits for the change; webhooks and events report the changes of all payouts. \`pending\` means that the bank has not confirmed the payout yet; do not create another one.

## Errors

Errors have one form: \`{"error": {"code", "message", "details"}}\`. Write your code against \`code\`. Each code has one HTTP status. 400 means that we could not read the request, 422 that it is invalid. \`details.fields\` then lists every problem. Every response has a \`Request-Id\` header: include it when you contact support.

A 503 means that Kelpie is overloaded, cannot save changes for a moment, or did not finish within 10 seconds (reads: 2 seconds). The request may have taken effect. Wait \`Retry-After\` seconds and repeat it, a payout with the same \`Idempotency-Key\`.

## Pagination

Lists return \`{"object": "list", "data": […]}\`, newest first. If there is another page, the \`Link\` header has its URL with \`rel="next"\`. Follow it until there is none. \`limit\` is 1 to 200, by default 50.

## Rate limits

100 requests per second per key, in bursts of up to 200. Creating payouts: 25 per second, in bursts of up to 100. \`RateLimit-*\` headers report what is left. After a 429, wait \`Retry-After\` seconds.

## Formats

Bodies are JSON. Unknown fields and query parameters are refused. Money is a string with two decimals, for example \`"850.00"\`. Times are ISO 8601 in UTC, and months are London calendar months. Ids are UUIDs. We may add fields and codes at any time.`;
}
