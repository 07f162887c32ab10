import { randomUUID } from 'node:crypto';
import { after } from 'node:test';
import type { Child } from '@kelpie/dev/child-process.ts';
import { findPort } from '@kelpie/dev/free-port.ts';
import { textAt } from '@kelpie/dev/json.ts';
import { callWire, createCustomer, type Customer } from '@kelpie/sandbox-bank/test/customer.ts';
import { startSandboxBank, type SandboxBank } from '@kelpie/sandbox-bank/test/harness.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { createPartnerAtBank, type TestPartner } from './partners.ts';
import { startApi, startWorker, type ApiProcess } from './processes.ts';

/** The whole of Kelpie as real processes: a bank with its own record, an api, a worker, and partners who can pay. */
export interface World {
  database: TestDatabase;
  bank: SandboxBank;
  partner: TestPartner;
  /** The api that runs now; another one after `restartApi`. */
  api: ApiProcess;
  worker: Child | null;
  /** Kelpie's own customer at the bank, with 10,000.00 USDC; null where the world has no float. */
  float: Customer | null;
  /** Every process of ours that ever ran, for what they said. */
  processes: Child[];
  restartApi(env?: Readonly<Record<string, string>>): Promise<ApiProcess>;
  restartWorker(env?: Readonly<Record<string, string>>): Promise<Child>;
  addApi(env?: Readonly<Record<string, string>>): Promise<ApiProcess>;
  addWorker(env?: Readonly<Record<string, string>>): Promise<Child>;
  addPartner(environment?: 'sandbox' | 'live'): Promise<TestPartner>;
}

interface WorldOptions {
  database?: TestDatabase;
  settleAfterMs?: number;
  env?: Readonly<Record<string, string>>;
  /** An address to reach the bank by, in place of its own: a proxy's. */
  bankUrlFor?: (bank: SandboxBank) => Promise<string>;
  withoutWorker?: true;
  withFloat?: true;
  withoutWebhooks?: true;
  environment?: 'sandbox' | 'live';
  atEnd?: (end: () => Promise<unknown>) => void;
}

/** Asks the bank to tell the api at this port; says by which key it will know the bank. */
async function registerWebhook(bank: SandboxBank, port: number, environment: string): Promise<string> {
  const url = `http://127.0.0.1:${port}/bank-webhooks/${environment}`;
  const { json } = await callWire(bank, '/webhooks', { body: { url }, key: randomUUID() });
  return textAt(json, 'public_key').trim();
}

/**
 * What is started in the middle of a test would be ended with that test: so the world's own end is asked for once, when it
 * begins, and ends whatever runs then.
 */
function endTogether(atEnd: (end: () => Promise<unknown>) => void): (end: () => Promise<unknown>) => void {
  const endings: (() => Promise<unknown>)[] = [];
  atEnd(async () => {
    for (const end of endings.toReversed()) await end();
  });
  return (end) => void endings.push(end);
}

/** Kelpie's own customer at the bank, where a world has one. */
async function openFloat(bank: SandboxBank, prefix: string, { withFloat }: WorldOptions) {
  if (withFloat === undefined) return { float: null, floatEnv: {} };
  const float = await createCustomer(bank);
  return { float, floatEnv: { [`${prefix}_FLOAT`]: `${float.id}/${float.walletId}` } };
}

/** A sandbox bank can be driven; a live one never. */
function addressesOf(bank: SandboxBank, prefix: string): Record<string, string> {
  const isLive = prefix === 'KELPIE_LIVE_BANK';
  return {
    [`${prefix}_URL`]: bank.wireUrl,
    [`${prefix}_API_KEY`]: bank.apiKey,
    ...(isLive ? {} : { [`${prefix}_CONTROL_URL`]: `${bank.url}/control` }),
  };
}

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const { environment = 'sandbox' } = options;
  const atEnd = endTogether(options.atEnd ?? after);
  const database = options.database ?? (await createTestDatabase());
  const live = environment === 'live';
  const bank = await startSandboxBank({
    settleAfterMs: options.settleAfterMs ?? 200,
    ...(live ? { mode: 'live-stand-in' as const, env: { BANK_API_KEY: 'sk-live-stand-in' } } : {}),
    atEnd,
  });
  const port = await findPort();
  const prefix = live ? 'KELPIE_LIVE_BANK' : 'KELPIE_SANDBOX_BANK';
  const { float, floatEnv } = await openFloat(bank, prefix, options);
  const shared = {
    ...floatEnv,
    ...addressesOf(bank, prefix),
    ...(options.bankUrlFor === undefined ? {} : { [`${prefix}_URL`]: await options.bankUrlFor(bank) }),
    ...options.env,
  };
  const webhookKey = options.withoutWebhooks ? 'none' : await registerWebhook(bank, port, environment);
  const apiEnv = { ...shared, [`${prefix}_WEBHOOK_KEY`]: webhookKey };
  const processes: Child[] = [];
  const keep = <Started extends Child>(child: Started): Started => {
    processes.push(child);
    return child;
  };
  const startOwnApi = async (env = {}) =>
    keep(await startApi({ database, atEnd, env: { ...apiEnv, KELPIE_API_PORT: String(port), ...env } }));
  const startOwnWorker = async (env = {}) => keep(await startWorker({ database, atEnd, env: { ...shared, ...env } }));
  const [partner, api, worker] = await Promise.all([
    createPartnerAtBank(database, bank, environment),
    startOwnApi(),
    options.withoutWorker ? null : startOwnWorker(),
  ]);
  const world: World = {
    database,
    bank,
    processes,
    partner,
    api,
    worker,
    float,
    async restartApi(env) {
      await world.api.stop();
      world.api = await startOwnApi(env);
      return world.api;
    },
    async restartWorker(env) {
      await world.worker?.stop();
      world.worker = await startOwnWorker(env);
      return world.worker;
    },
    addApi: async (env = {}) => keep(await startApi({ database, atEnd, env: { ...apiEnv, ...env } })),
    addWorker: async (env) => startOwnWorker(env),
    addPartner: async (partnerEnvironment = environment) => createPartnerAtBank(database, bank, partnerEnvironment),
  };
  return world;
}
