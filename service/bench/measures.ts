import type { BenchDatabase } from './bench-database.ts';
import { createScript } from './create-call.ts';
import type { HttpLoad } from './http-load.ts';
import type { BareLoad, BareScript } from './pgbench.ts';
import { getScript, listScript } from './read-scripts.ts';
import { createRequests, getRequests, listRequests } from './requests.ts';
import type { Running } from './slice.ts';

/** Each is compared with its bare one, in whose neighbourhood it is measured. */
export const measureNames = [
  'bare_32',
  'create_32',
  'create_128',
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

/** What starts each of them, again and again. */
export type Measures = Readonly<Record<MeasureName, () => Running>>;

export function createMeasures(bench: BenchDatabase, http: HttpLoad): Measures {
  const { partners, values, planted, api, pgbench } = bench;
  /** pgbench is started with its first slice. */
  const bare = (script: BareScript): (() => Running) => {
    let load: BareLoad | undefined;
    return () => (load ??= pgbench.load(script, usualClients)).start();
  };
  const overHttp = (requests: readonly string[], connections: number, status: 200 | 201) => (): Running =>
    http.start({ port: api.port, connections, requests, status });
  const ofMany = createRequests(partners);
  const ofOne = ofMany.slice(0, 1);
  return {
    bare_32: bare(createScript(partners, values, 'many')),
    create_32: overHttp(ofMany, usualClients, 201),
    create_128: overHttp(ofMany, 128, 201),
    bare_hot_32: bare(createScript(partners, values, 'hot')),
    hot_32: overHttp(ofOne, usualClients, 201),
    hot_128: overHttp(ofOne, 128, 201),
    bare_get: bare(getScript(partners, planted)),
    get: overHttp(getRequests(partners, planted), usualClients, 200),
    bare_list: bare(listScript(partners)),
    list: overHttp(listRequests(partners), usualClients, 200),
  };
}
