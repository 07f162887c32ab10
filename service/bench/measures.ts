import type { BareDatabase } from './bare/bare-database.ts';
import { createBatchScript } from './bare/batch-calls.ts';
import { createScript, getScript, listScript } from './bare/calls.ts';
import type { BenchDatabase } from './bench-database.ts';
import type { HttpLoad } from './http-load.ts';
import type { BareLoad, BareScript } from './pgbench.ts';
import { createRequests, getRequests, listRequests } from './requests.ts';
import type { Running } from './slice.ts';

/** Each is compared with its bare one, in whose neighbourhood it is measured. */
export const measureNames = [
  'bare_32',
  'create_32',
  'create_128',
  'bare_batch_32',
  'bare_hot_32',
  'hot_32',
  'hot_128',
  'bare_get',
  'get',
  'bare_list',
  'list',
] as const;
export type MeasureName = (typeof measureNames)[number];

/** As many as it takes to keep both cores busy, whoever asks. */
const usualClients = 32;
/** Of calls with many payouts each: more would only wait for the same wallets. */
const batchClients = 4;

/** What starts each of them, again and again. */
export type Measures<Name extends MeasureName = MeasureName> = Readonly<Record<Name, () => Running>>;
type BareName = Extract<MeasureName, `bare_${string}`>;
export type ApiName = Exclude<MeasureName, BareName>;

export function createBareMeasures({ partners, planted, pgbench }: BareDatabase): Measures<BareName> {
  /** pgbench is started with its first slice. */
  const bare = (script: BareScript, clients = usualClients): (() => Running) => {
    let load: BareLoad | undefined;
    return () => (load ??= pgbench.load(script, clients)).start();
  };
  return {
    bare_32: bare(createScript(partners, 'many')),
    bare_batch_32: bare(createBatchScript(partners), batchClients),
    bare_hot_32: bare(createScript(partners, 'hot')),
    bare_get: bare(getScript(partners, planted)),
    bare_list: bare(listScript(partners)),
  };
}

export function createApiMeasures({ partners, planted, api }: BenchDatabase, http: HttpLoad): Measures<ApiName> {
  const overHttp = (requests: readonly string[], connections: number, status: 200 | 201) => (): Running =>
    http.start({ port: api.port, connections, requests, status });
  const ofMany = createRequests(partners);
  const ofOne = ofMany.slice(0, 1);
  return {
    create_32: overHttp(ofMany, usualClients, 201),
    create_128: overHttp(ofMany, 128, 201),
    hot_32: overHttp(ofOne, usualClients, 201),
    hot_128: overHttp(ofOne, 128, 201),
    get: overHttp(getRequests(planted), usualClients, 200),
    list: overHttp(listRequests(planted), usualClients, 200),
  };
}
