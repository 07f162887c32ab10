import { randomBytes, randomUUID } from 'node:crypto';
import { prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { dropDatabase, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { createSimulatedBank } from '../../src/banks/index.ts';
import { createRates } from '../../src/payouts/index.ts';
import { createPayout, type CreateDeps } from '../../src/payouts/creation/create-payout.ts';
import { createPayouts, type CreateOutcome, type NewPayout } from '../../src/payouts/records/create-payouts.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/ids.ts';
import { createVersionedDigest } from '../../src/platform/keyed-digest.ts';
import type { TestDatabase } from '../../test/harness/database.ts';
import { createPayoutDeps } from '../../test/harness/payout-deps.ts';
import { createBenchPartners, type BenchPartners } from '../bench-partners.ts';
import { settleDatabase, type BenchServer } from '../bench-server.ts';
import { readProcessorTime } from '../processor-time.ts';
import { median, rounded } from '../report.ts';

interface CommitsOptions {
  /** How long each size is measured. */
  windowMs: number;
  say: (text: string) => void;
}

/** What a commit of so many payouts takes. */
export interface CommitLine {
  name: 'commit';
  payouts: number;
  /** One commit after the other, on one connection. */
  alone_ms: number;
  cpu_us_pg: number;
  /** From one commit to the next of two connections whose payouts are all of one partner: its wallet is locked meanwhile. */
  hot_wallet_ms: number;
}

const partnerCount = 500;
const sizes = [1, 2, 4, 8, 16, 32, 64] as const;

/** Gathers as many payouts as a commit is to have. */
interface Gathering {
  made: NewPayout[];
  answers: ((outcome: CreateOutcome | Promise<CreateOutcome>) => void)[];
}

/** Makes payouts as the api does, and commits them in batches of a fixed size. */
function createCommitter(deps: CreateDeps, partners: BenchPartners) {
  return async (numbers: readonly number[]): Promise<number> => {
    const gathering: Gathering = { made: [], answers: [] };
    let tookMs = 0;
    const commit = async (): Promise<void> => {
      const beganAt = performance.now();
      const outcomes = await createPayouts(deps.calls, gathering.made);
      tookMs = performance.now() - beganAt;
      for (const [at, outcome] of outcomes.entries()) gathering.answers[at]?.(outcome);
    };
    const create = async (made: NewPayout): Promise<CreateOutcome> =>
      new Promise((resolve, reject) => {
        gathering.made.push(made);
        gathering.answers.push(resolve);
        if (gathering.made.length === numbers.length) commit().catch(reject);
      });
    await Promise.all(
      numbers.map(async (number) => order({ ...deps, commits: { ...deps.commits, create } }, partners, number)),
    );
    return tookMs;
  };
}

async function order(deps: CreateDeps, { ids, keyIds, keyPrefixes }: BenchPartners, number: number): Promise<void> {
  const made = await createPayout(deps, {
    partnerId: ids.at(number),
    environment: 'sandbox',
    via: 'api',
    callerId: keyIds.at(number),
    by: keyPrefixes[number] ?? '',
    requestId: newId(systemClock),
    payoutId: newId(systemClock),
    idempotencyKey: randomUUID(),
    confirmCode: null,
    order: {
      amount: 2_500n,
      country: 'GB',
      reference: 'Order 42',
      recipient: {
        type: 'individual',
        firstName: 'Ada',
        lastName: 'Byron',
        email: 'ada@example.test',
        address: { line1: '1 High Street', line2: null, city: 'Leeds', postalCode: 'LS1 1AA', region: 'England' },
        bankName: 'Example Bank',
        sortCode: '040004',
        accountNumber: '12345678',
      },
    },
  });
  if (made.kind !== 'created') throw new Error('a payout was not created');
}

function refuse(): never {
  throw new Error('a key confirms nothing');
}

function createDeps(server: BenchServer, database: TestDatabase): CreateDeps {
  const bank = createSimulatedBank(systemClock);
  const banks = { simulated: bank, provider_sandbox: null, provider_production: null };
  const secret = randomBytes(32);
  return {
    ...createPayoutDeps(database, banks, (end) => server.atEnd(end)),
    rates: createRates(banks, systemClock),
    accountDigest: createVersionedDigest(new Map([[1, secret]]), 'account index'),
    bodyDigest: createVersionedDigest(new Map([[1, secret]]), 'body fingerprint'),
    confirmations: { ask: refuse, given: refuse, use: refuse },
    notifyAdmins: refuse,
    dashboardUrl: '',
  };
}

/** The commit of a payout's creation, by the number of payouts in it, and on one wallet. */
export async function* measureCommits(
  server: BenchServer,
  { windowMs, say }: CommitsOptions,
): AsyncGenerator<CommitLine> {
  const name = `kelpie_bench_commits_${process.pid}`;
  const urls = await prepareDatabase(server.adminUrl, { database: name, anew: true });
  server.atEnd(async () => dropDatabase(server.adminUrl, name));
  const database = { ...urls, superuserUrl: urlFor(server.adminUrl, name) };
  const partners = await createBenchPartners(database, partnerCount);
  const commit = createCommitter(createDeps(server, database), partners);
  let next = 0;
  const spread = (size: number): number[] => Array.from({ length: size }, () => (next += 1) % partnerCount);
  const during = async (run: () => Promise<number>): Promise<number[]> => {
    const times: number[] = [];
    for (const until = Date.now() + windowMs; Date.now() < until;) times.push(await run());
    return times;
  };
  await during(async () => commit(spread(8)));
  await settleDatabase(database.superuserUrl);
  for (const size of sizes) {
    const before = readProcessorTime(server.postmaster, process.pid);
    const alone = await during(async () => commit(spread(size)));
    const after = readProcessorTime(server.postmaster, process.pid);
    const beganAt = performance.now();
    const onOne = async (): Promise<number[]> => during(async () => commit(Array.from({ length: size }, () => 0)));
    const hot = await Promise.all([onOne(), onOne()]);
    const hotMs = performance.now() - beganAt;
    const line: CommitLine = {
      name: 'commit',
      payouts: size,
      alone_ms: rounded(median(alone), 3),
      cpu_us_pg: rounded((after.pgMicroseconds - before.pgMicroseconds) / alone.length, 0),
      hot_wallet_ms: rounded(hotMs / hot.flat().length, 3),
    };
    say(`${size} payouts in a commit: ${line.alone_ms} ms, ${line.cpu_us_pg} µs of PostgreSQL`);
    yield line;
  }
}
