// What the pages about events read. Beside reads.ts, so that the first page does not load it.
import type { Event, EventFilters } from '@kelpie/sdk';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEnvironment, useKelpie } from './environment.ts';
import { readNewest } from './newest-events.ts';
import { liveEvery } from './presence.ts';

/** An event never changes. */
export function useEvent(id: string) {
  const kelpie = useKelpie();
  return useQuery({
    queryKey: [useEnvironment(), 'event', id],
    queryFn: async ({ signal }) => kelpie.events.get(id, { signal }),
    staleTime: Infinity,
  });
}

export const eventsPerPage = 25;

/** The newest events up to a sequence, the newest first; without one, up to the last. */
export function useEventsUpTo(last: number | undefined) {
  const kelpie = useKelpie();
  const client = useQueryClient();
  const queryKey = [useEnvironment(), 'events', last];
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const list = async (filters: EventFilters) => kelpie.events.list(filters, { signal });
      if (last === undefined) {
        const known = client.getQueryData<Event[]>(queryKey)?.[0]?.sequence ?? 0;
        return (await readNewest(list, { size: eventsPerPage, known })).toReversed();
      }
      const { data } = await list({ after: Math.max(0, last - eventsPerPage), limit: eventsPerPage });
      // Where older ones are no longer kept, the list begins after what was asked for.
      return data.filter(({ sequence }) => sequence <= last).toReversed();
    },
    placeholderData: keepPreviousData,
    refetchInterval: last === undefined ? liveEvery(4_000) : false,
  });
}
