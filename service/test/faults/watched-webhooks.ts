import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { TestPartner } from '../harness/partners.ts';
import type { World } from '../harness/world.ts';
import { register } from '../webhooks/endpoint.ts';
import { startReceiver } from '../webhooks/receiver.ts';

/** What partners' own servers received of their events, through every fault. */
export interface WatchedWebhooks {
  /** Waits until nothing is on its way, and says what is missing, out of order or not ours. */
  judge(): Promise<string[]>;
}

interface Watching {
  world: World;
  url: string;
  partners: readonly TestPartner[];
  atEnd: (end: () => Promise<unknown>) => void;
}

const arrivedWithinMs = 120_000;

interface EventRow {
  id: string;
  sequence: string;
}

export async function watchWebhooks({ world, url, partners, atEnd }: Watching): Promise<WatchedWebhooks> {
  const { superuserUrl } = world.database;
  const receiver = await startReceiver({ atEnd, isOfAnyTime: true });
  for (const { key } of partners) await register({ url, key }, receiver);
  const ids = partners.map(({ partnerId }) => partnerId);
  const list = async (sql: string): Promise<EventRow[]> =>
    asAdmin(superuserUrl, async (client) => (await client.query<EventRow>(sql, [ids])).rows);
  const listPending = async (): Promise<EventRow[]> =>
    list(`select event_id as id, sequence from kelpie.webhook_deliveries where partner_id = any ($1) and state = 'pending'
          union all select subject_id, number from kelpie.unnumbered_events where partner_id = any ($1)`);
  const listMissing = async (): Promise<EventRow[]> => {
    const received = new Set(receiver.received.map(({ id }) => id));
    const events = await list(
      `select e.id, e.sequence from kelpie.events e
       where e.partner_id = any ($1) and e.sequence >= (
         select min(d.sequence) from kelpie.webhook_deliveries d where d.partner_id = e.partner_id
       )`,
    );
    return events.filter(({ id }) => !received.has(id));
  };
  /** By the first time that each was received: what follows a lost result may arrive twice. */
  const listOutOfOrder = (): string[] => {
    const seen = new Set<string>();
    const newest = new Map<string, number>();
    return receiver.received.flatMap(({ id, body }) => {
      if (seen.has(id)) return [];
      seen.add(id);
      const before = newest.get(body.data.id) ?? 0;
      newest.set(body.data.id, Math.max(before, body.version));
      return body.version < before ? [`I13 version ${body.version} of ${body.data.id} arrived after ${before}`] : [];
    });
  };
  return {
    async judge() {
      const hasArrived = async (): Promise<boolean> => (await listPending()).length === 0;
      await eventually('everything has arrived', hasArrived, arrivedWithinMs).catch(() => undefined);
      const pending = (await listPending()).length;
      return [
        ...(pending === 0 ? [] : [`I13 ${pending} events are still on their way`]),
        ...(await listMissing()).map(({ sequence }) => `I13 event ${sequence} never arrived`),
        ...listOutOfOrder(),
        ...(receiver.forged === 0 ? [] : [`I13 ${receiver.forged} requests had a wrong signature`]),
      ];
    },
  };
}
