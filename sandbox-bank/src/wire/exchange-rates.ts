import type { Route } from '../http/route.ts';
import { exchangeRates } from '../pricing.ts';

export const exchangeRateRoutes: readonly Route[] = [
  {
    method: 'GET',
    url: '/exchange_rates',
    faultPoint: 'exchange_rates',
    async perform({ query }) {
      query.choice('from', ['usd']);
      query.choice('to', ['gbp']);
      return { status: 200, body: exchangeRates };
    },
  },
];
