import assert from 'node:assert/strict';
import { textAt } from '@kelpie/dev/json.ts';
import { call, type Client } from '../harness/client.ts';
import type { Receiver } from './receiver.ts';

/** Has the receiver's address registered, and trusted with its secret; says its id. */
export async function register(client: Client, receiver: Receiver, more: object = {}): Promise<string> {
  const created = await call(client, '/v1/webhooks', { method: 'POST', body: { url: receiver.url, ...more } });
  assert.equal(created.status, 201, created.text);
  receiver.trust(textAt(created.json, 'secret'));
  return created.id;
}
