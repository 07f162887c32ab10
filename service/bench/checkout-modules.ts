import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { MeasuredApi } from './measured-api.ts';

// What `--against` needs of any commit that it compares. The tables, functions and settings of two commits may differ, so
// each prepares and serves itself, by its own code. These modules and what they export have to keep their shape.

/** The addresses of a prepared database. Its own commit knows of more than the one that the api gets. */
export interface PreparedUrls {
  serviceUrl: string;
}

export interface CheckoutModules {
  prepareDatabase(adminUrl: string, options: { database: string; anew: boolean }): Promise<PreparedUrls>;
  /** Gives the secrets of their API keys. */
  createPartners(database: PreparedUrls & { superuserUrl: string }, count: number): Promise<readonly string[]>;
  startApi(serviceUrl: string, options?: { env: Readonly<Record<string, string>> }): Promise<MeasuredApi>;
}

type AnyFunction = (...values: readonly unknown[]) => unknown;

function isFunction(value: unknown): value is AnyFunction {
  return typeof value === 'function';
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function hasServiceUrl(value: unknown): value is PreparedUrls {
  return typeof fieldOf(value, 'serviceUrl') === 'string';
}

function isApi(value: unknown): value is MeasuredApi {
  return (
    typeof fieldOf(value, 'pid') === 'number' &&
    typeof fieldOf(value, 'port') === 'number' &&
    isFunction(fieldOf(value, 'stop'))
  );
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

async function loadFunction(folder: string, file: string, name: string): Promise<AnyFunction> {
  const loaded: unknown = await import(pathToFileURL(path.join(folder, file)).href);
  const found = fieldOf(loaded, name);
  if (!isFunction(found)) throw new Error(`${file} of the checkout does not export the function ${name}`);
  return found;
}

/** What a checkout's function gave, where it has the shape that we rely on. */
function expectShape<Shape>(value: unknown, hasShape: (value: unknown) => value is Shape, of: string): Shape {
  if (!hasShape(value)) throw new Error(`${of} of the checkout gave something of another shape`);
  return value;
}

export async function loadCheckoutModules(folder: string): Promise<CheckoutModules> {
  const prepareDatabase = await loadFunction(folder, 'dev/postgres/prepare.ts', 'prepareDatabase');
  const createBenchPartners = await loadFunction(folder, 'service/bench/bench-partners.ts', 'createBenchPartners');
  const startMeasuredApi = await loadFunction(folder, 'service/bench/measured-api.ts', 'startMeasuredApi');
  return {
    prepareDatabase: async (adminUrl, options) =>
      expectShape(await prepareDatabase(adminUrl, options), hasServiceUrl, 'prepareDatabase'),
    createPartners: async (database, count) =>
      expectShape(fieldOf(await createBenchPartners(database, count), 'secrets'), isTexts, 'createBenchPartners'),
    startApi: async (serviceUrl, options) =>
      expectShape(await startMeasuredApi(serviceUrl, options), isApi, 'startMeasuredApi'),
  };
}
