import assert from 'node:assert/strict';
import { textAt } from '@kelpie/dev/json.ts';
import type { BenchPartners } from './bench-partners.ts';
import type { MeasuredApi } from './measured-api.ts';
import { orderBody, type PlantedPayout } from './requests.ts';

/** The first few partners have as many payouts as a list shows. */
const payoutsPerReader = 50;
const maximumReaders = 40;

/** Through the api, so that the bench does not depend on how the product writes a payout. */
async function createPayout({ port }: MeasuredApi, secret: string, key: string): Promise<PlantedPayout> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/payouts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'idempotency-key': key },
    body: orderBody,
  });
  const text = await response.text();
  assert.equal(response.status, 201, text);
  return { id: textAt(JSON.parse(text), 'id'), secret };
}

/** One payout of every reader at a time: enough to keep the api busy, and few enough connections. */
export async function plantPayouts(api: MeasuredApi, { secrets }: BenchPartners): Promise<PlantedPayout[]> {
  const planted: PlantedPayout[] = [];
  for (let nth = 0; nth < payoutsPerReader; nth += 1) {
    const created = secrets
      .slice(0, maximumReaders)
      .map(async (secret, reader) => createPayout(api, secret, `planted-${reader}-${nth}`));
    planted.push(...(await Promise.all(created)));
  }
  return planted;
}
