import { createHash, verify } from 'node:crypto';
import { createServer } from 'node:http';
import { after } from 'node:test';
import { callWire } from './customer.ts';
import type { SandboxBank } from './harness.ts';
import { textAt } from '@kelpie/dev/json.ts';

interface Received {
  body: string;
  signature: string;
  /** The event inside. */
  event: unknown;
}

export interface Receiver {
  webhookId: string;
  publicKey: string;
  /** Everything that came, in the order in which it came, also what was answered with a refusal. */
  received: Received[];
  statesOf(transferId: string): string[];
  /** What it answers from now on. */
  answerWith(status: number): void;
}

/** A program that registers at the bank and takes its webhooks, closed with the test file. */
export async function startReceiver(bank: SandboxBank): Promise<Receiver> {
  let status = 200;
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const event: unknown = JSON.parse(body);
      received.push({ body, signature: String(request.headers['x-webhook-signature']), event });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const { json } = await callWire(bank, '/webhooks', { body: { url: `http://127.0.0.1:${port}/bank` } });
  return {
    webhookId: textAt(json, 'id'),
    publicKey: textAt(json, 'public_key'),
    received,
    statesOf: (transferId) =>
      received
        .filter(({ event }) => textAt(event, 'event_object_id') === transferId)
        .map(({ event }) => textAt(event, 'event_object_status')),
    answerWith(next) {
      status = next;
    },
  };
}

/** Written from the provider's description, not from the bank's code. */
export function isGenuine({ body, signature }: { body: string; signature: string }, publicKey: string): boolean {
  const [, t = '', v0 = ''] = /^t=(\d+),v0=([A-Za-z0-9+/=]+)$/.exec(signature) ?? [];
  const digest = createHash('sha256').update(`${t}.${body}`).digest();
  return verify('RSA-SHA256', digest, publicKey, Buffer.from(v0, 'base64'));
}
