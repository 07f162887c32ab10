import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import { startChild, type Child } from '@kelpie/dev/child-process.ts';
import { findPort } from '@kelpie/dev/free-port.ts';
import { startCluster } from '@kelpie/dev/postgres/cluster.ts';
import { asAdmin, createDatabase, dropDatabase, ensureRoles, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { listAt, optionalTextAt, textAt } from '@kelpie/dev/json.ts';

interface BankOptions {
  mode?: 'sandbox' | 'live-stand-in';
  settleAfterMs?: number;
  /** Settings that differ from the usual ones. */
  env?: Readonly<Record<string, string>>;
  /** A database that is there already; without it the bank gets one of its own, dropped with the test file. */
  databaseUrl?: string;
  /** Who is told how to end it. Without it, that is the end of the test file. */
  atEnd?: (end: () => Promise<unknown>) => void;
}

/** What the bank truly accepted. */
interface PaymentRecord {
  transfer_id: string;
  customer_id: string;
  client_reference_id: string | null;
  idempotency_key: string | null;
  amount_pence: bigint;
  taken_micro_usdc: bigint;
  accepted_at: string;
}

/** What it gave back. */
interface RefundRecord {
  transfer_id: string;
  customer_id: string;
  client_reference_id: string | null;
  micro_usdc: bigint;
  reason: string | null;
  refunded_at: string;
}

/** What a wallet got by a top-up, or what was taken from it again. */
interface DepositRecord {
  deposit_id: string;
  customer_id: string;
  wallet_id: string;
  micro_usdc: bigint;
}

interface BankRecord {
  payments: PaymentRecord[];
  refunds: RefundRecord[];
  credits: DepositRecord[];
  reversals: DepositRecord[];
}

export interface SandboxBank {
  /** The page; `/control` and `/v0` are below it. */
  url: string;
  /** What an adapter is given as its address. */
  wireUrl: string;
  apiKey: string;
  port: number;
  databaseUrl: string;
  /** The process that runs now; another one after `restart`. */
  child: Child;
  /** POST to a path below /control. Another method stands before it: `control('GET /clock')`. Throws what is refused. */
  control(path: string, body?: object): Promise<unknown>;
  record(): Promise<BankRecord>;
  /** Starts it again on the same port and database. One that still runs is stopped first. */
  restart(): Promise<void>;
}

const apiKey = 'sk-test-kelpie';

async function createBankDatabase(atEnd: (end: () => Promise<unknown>) => void): Promise<string> {
  const { adminUrl } = await startCluster('test');
  const name = `bank_test_${randomBytes(6).toString('hex')}`;
  const isPrepared = await asAdmin(adminUrl, async (client) => {
    const { rowCount } = await client.query(`select from pg_roles where rolname = 'kelpie_owner'`);
    if (rowCount === 1) await client.query(`create database ${name} owner kelpie_owner`);
    return rowCount === 1;
  });
  if (!isPrepared) {
    await ensureRoles(adminUrl);
    await createDatabase(adminUrl, name);
  }
  atEnd(async () => dropDatabase(adminUrl, name));
  return urlFor(adminUrl, name, 'kelpie_owner');
}

/** Amounts come as texts, and are bigint from here on. */
function readPayment(row: unknown): PaymentRecord {
  return {
    transfer_id: textAt(row, 'transfer_id'),
    customer_id: textAt(row, 'customer_id'),
    client_reference_id: optionalTextAt(row, 'client_reference_id'),
    idempotency_key: optionalTextAt(row, 'idempotency_key'),
    amount_pence: BigInt(textAt(row, 'amount_pence')),
    taken_micro_usdc: BigInt(textAt(row, 'taken_micro_usdc')),
    accepted_at: textAt(row, 'accepted_at'),
  };
}

function readRefund(row: unknown): RefundRecord {
  return {
    transfer_id: textAt(row, 'transfer_id'),
    customer_id: textAt(row, 'customer_id'),
    client_reference_id: optionalTextAt(row, 'client_reference_id'),
    micro_usdc: BigInt(textAt(row, 'micro_usdc')),
    reason: optionalTextAt(row, 'reason'),
    refunded_at: textAt(row, 'refunded_at'),
  };
}

function readOfDeposit(row: unknown): DepositRecord {
  return {
    deposit_id: textAt(row, 'deposit_id'),
    customer_id: textAt(row, 'customer_id'),
    wallet_id: textAt(row, 'wallet_id'),
    micro_usdc: BigInt(textAt(row, 'micro_usdc')),
  };
}

/** A real sandbox bank on a free port, ended with the test file. */
export async function startSandboxBank(options: BankOptions = {}): Promise<SandboxBank> {
  const { atEnd = after } = options;
  const databaseUrl = options.databaseUrl ?? (await createBankDatabase(atEnd));
  const port = await findPort();
  const start = async (): Promise<Child> => {
    const child = startChild({
      name: 'sandbox bank',
      file: 'sandbox-bank/src/main.ts',
      env: {
        BANK_DATABASE_URL: databaseUrl,
        BANK_PORT: String(port),
        BANK_API_KEY: apiKey,
        BANK_MODE: options.mode ?? 'sandbox',
        BANK_SETTLE_AFTER_MS: String(options.settleAfterMs ?? 3_000),
        BANK_LOG: 'silent',
        ...options.env,
      },
    });
    await child.waitForEvent('bank.listening');
    return child;
  };
  const url = `http://127.0.0.1:${port}`;
  const bank: SandboxBank = {
    url,
    wireUrl: `${url}/v0`,
    apiKey: options.env?.['BANK_API_KEY'] ?? apiKey,
    port,
    databaseUrl,
    child: await start(),
    async control(path, body) {
      const [, method = 'POST', rest = path] = /^(?:([A-Z]+) )?(.*)$/s.exec(path) ?? [];
      const sent = method === 'GET' ? {} : { headers: { 'content-type': 'application/json' } };
      const response = await fetch(`${url}/control${rest}`, {
        method,
        ...sent,
        ...(method === 'POST' ? { body: JSON.stringify(body ?? {}) } : {}),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`the bank refused ${method} /control${rest}: ${text}`);
      const answer: unknown = JSON.parse(text);
      return answer;
    },
    async record() {
      const record = await bank.control('GET /record');
      return {
        payments: listAt(record, 'payments').map(readPayment),
        refunds: listAt(record, 'refunds').map(readRefund),
        credits: listAt(record, 'credits').map(readOfDeposit),
        reversals: listAt(record, 'reversals').map(readOfDeposit),
      };
    },
    async restart() {
      await bank.child.stop();
      bank.child = await start();
    },
  };
  atEnd(async () => bank.child.stop());
  return bank;
}
