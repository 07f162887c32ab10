// What the pages about webhooks read. Beside reads.ts, so that the first page does not load it.
import type { Delivery, DeliveryFilters } from '@kelpie/sdk';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEnvironment, useKelpie } from './environment.ts';
import { liveEvery } from './presence.ts';

const quick = liveEvery(4_000);
const steady = liveEvery(15_000);

export function useWebhooks() {
  const kelpie = useKelpie();
  return useQuery({
    queryKey: [useEnvironment(), 'webhooks'],
    queryFn: async ({ signal }) => (await kelpie.webhooks.list({}, { signal })).data,
    refetchInterval: steady,
  });
}

export function useWebhook(id: string) {
  const kelpie = useKelpie();
  return useQuery({
    queryKey: [useEnvironment(), 'webhook', id],
    queryFn: async ({ signal }) => kelpie.webhooks.get(id, { signal }),
    refetchInterval: steady,
  });
}

export function useDeliveries(id: string, filters: DeliveryFilters) {
  const kelpie = useKelpie();
  return useQuery({
    queryKey: [useEnvironment(), 'webhook', id, 'deliveries', filters],
    queryFn: async ({ signal }) => kelpie.webhooks.listDeliveries(id, filters, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: quick,
  });
}

export function useDelivery({ webhook_id: id, event_id: eventId }: Pick<Delivery, 'webhook_id' | 'event_id'>) {
  const kelpie = useKelpie();
  return useQuery({
    queryKey: [useEnvironment(), 'webhook', id, 'delivery', eventId],
    queryFn: async ({ signal }) => kelpie.webhooks.getDelivery(id, eventId, { signal }),
    // One that is pending may be answered at any moment.
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? liveEvery(1_500)() : steady()),
  });
}

/** Drops what was read of webhooks, after a change of one. */
export function useForgetWebhooks(): () => Promise<void> {
  const client = useQueryClient();
  const environment = useEnvironment();
  return async () => {
    await Promise.all(
      ['webhooks', 'webhook'].map(async (name) => client.invalidateQueries({ queryKey: [environment, name] })),
    );
  };
}
