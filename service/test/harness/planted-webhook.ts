import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { listAt, textAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { call, createPayout, payoutBody, type Client } from './client.ts';
import type { TestDatabase } from './database.ts';

interface PlantedWebhook {
  id: string;
  /** An event that is on its way to it. */
  eventId: string;
}

/** No name with this ending leads anywhere. */
export const unreachable = { url: 'https://receiver.invalid/kelpie' };

/** A webhook with a delivery, also where no worker runs to number events. */
export async function plantWebhook(
  { superuserUrl }: Pick<TestDatabase, 'superuserUrl'>,
  client: Client,
): Promise<PlantedWebhook> {
  const { id, text } = await call(client, '/v1/webhooks', { method: 'POST', body: unreachable });
  assert(id !== '', text);
  await createPayout(client, payoutBody(), randomUUID());
  await asAdmin(superuserUrl, async (admin) => admin.query('select kelpie.number_events(now(), 1000)'));
  const [delivery] = listAt((await call(client, `/v1/webhooks/${id}/deliveries`)).json, 'data');
  return { id, eventId: textAt(delivery, 'event_id') };
}
