import type { Route } from '../http/route.ts';
import type { RequestCounts } from '../request-counts.ts';

export function requestRoutes(counts: RequestCounts): readonly Route[] {
  return [
    { method: 'GET', url: '/requests', perform: async () => ({ status: 200, body: { data: counts.list() } }) },
    {
      method: 'DELETE',
      url: '/requests',
      async perform() {
        counts.clear();
        return { status: 200, body: {} };
      },
    },
  ];
}
