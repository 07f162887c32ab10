import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { call, type Client } from '../harness/client.ts';

/** All of them, page by page, as a consumer reads them. */
export async function readEvents(client: Client, { after = 0, limit = 7 } = {}): Promise<unknown[]> {
  const events: unknown[] = [];
  for (let last = after, page: unknown[] = [null]; page.length > 0;) {
    page = listAt((await call(client, `/v1/events?after=${last}&limit=${limit}`)).json, 'data');
    events.push(...page);
    last = page.length > 0 ? Number(valueAt(page.at(-1), 'sequence')) : last;
  }
  return events;
}

export async function untilEvents(client: Client, count: number): Promise<unknown[]> {
  let events: unknown[] = [];
  await eventually(
    `${count} events are there`,
    async () => {
      events = await readEvents(client);
      return events.length >= count;
    },
    30_000,
  );
  return events;
}

export function typesIn(events: readonly unknown[]): string[] {
  return events.map((event) => textAt(event, 'type'));
}
