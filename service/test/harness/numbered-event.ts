import { listAt, textAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { call, type Client } from './client.ts';
import type { TestDatabase } from './database.ts';

/** The id of a partner's first event, where no worker runs to number it. */
export async function numberFirstEvent(
  { superuserUrl }: Pick<TestDatabase, 'superuserUrl'>,
  client: Client,
): Promise<string> {
  await asAdmin(superuserUrl, async (admin) => admin.query('select kelpie.number_events(now(), 100)'));
  const [event] = listAt((await call(client, '/v1/events?limit=1')).json, 'data');
  return textAt(event, 'id');
}
