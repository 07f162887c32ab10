import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import * as fc from 'fast-check';
import { createSimulatedBank } from '../../../src/banks/index.ts';
import { formatUsdc } from '../../../src/money/amounts.ts';
import { payoutCost, standardPayoutPrices } from '../../../src/money/fees.ts';
import { createCommits, createRates, payoutCalls } from '../../../src/payouts/index.ts';
import { createPayout, type CreateDeps } from '../../../src/payouts/creation/create-payout.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import type { SingleCalls } from '../../../src/platform/database/single-call.ts';
import type { PartnerContext } from '../../../src/platform/database/transaction.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createVersionedDigest } from '../../../src/platform/keyed-digest.ts';
import { ApiError } from '../../../src/platform/api-error.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { assertBooksHold } from '../../harness/invariants.ts';
import { createPartners, depositToEach } from '../../harness/partners.ts';
import { createPayoutDeps } from '../../harness/payout-deps.ts';
import { atSize } from '../../harness/sizes.ts';

// Bursts of orders by several partners, all of a burst at once and so in one batch: repeats of a key, the same key with
// another body, orders that the wallet can't cover, keys that were revoked. Each must be answered as by the simplest thing
// that could be right, which takes one after the other.

const seeds = atSize(1_000);
const sideBySide = 4;
const partnersASeed = 3;
const floatMicroUsdc = 200_000_000n;

const database = await createTestDatabase();
const bank = createSimulatedBank(systemClock);
const banks = { simulated: bank, provider_sandbox: null, provider_production: null };
const rate = await bank.findRate();
assert(rate !== null);

interface Ask {
  partner: number;
  key: number;
  pounds: number;
  revoked: boolean;
  /** One that fails at once on this rail: it takes from the wallet, and gives back in the same commit. */
  fails: boolean;
}

function askThat(fails: boolean): fc.Arbitrary<Ask> {
  return fc.record({
    partner: fc.nat({ max: partnersASeed - 1 }),
    key: fc.nat({ max: 11 }),
    pounds: fc.constantFrom(1, 2, 20, 45, 60, 90, 150),
    revoked: fc.nat({ max: 9 }).map((n) => n === 0),
    fails: fc.constant(fails),
  });
}
// Those that fail at once go alone, side by side: which of two with one key is first is nobody's to say.
const failing = fc.uniqueArray(askThat(true), {
  minLength: 1,
  maxLength: 4,
  selector: ({ partner, key }) => `${partner} ${key}`,
});
const anyBurst = fc.oneof(
  { weight: 6, arbitrary: fc.array(askThat(false), { minLength: 1, maxLength: 14 }) },
  { weight: 1, arbitrary: failing },
);
const history = fc.array(anyBurst, { minLength: 1, maxLength: 5 });

/** What a caller sees, with the place of the order that made the payout in place of its id. */
type Seen =
  | { kind: 'created' | 'replayed'; from: string; state: string }
  | { kind: 'refused'; code: string; details: unknown };

interface ModelWallet {
  balance: bigint;
  payouts: Map<number, { from: string; ask: Ask }>;
}

function mismatched(first: Ask, second: Ask): string[] {
  return [
    ...(first.pounds === second.pounds ? [] : ['amount_gbp']),
    ...(first.fails === second.fails ? [] : ['recipient.bank.account_number']),
  ];
}

function answer(wallet: ModelWallet, asked: Ask, from: string): Seen {
  if (asked.revoked) return { kind: 'refused', code: 'unauthorized', details: undefined };
  const earlier = wallet.payouts.get(asked.key);
  if (earlier !== undefined) {
    const fields = mismatched(earlier.ask, asked);
    if (fields.length > 0) return { kind: 'refused', code: 'idempotency_key_reused', details: [earlier.from, fields] };
    return { kind: 'replayed', from: earlier.from, state: asked.fails ? 'failed' : 'processing' };
  }
  assert(rate !== null);
  const { walletDebit } = payoutCost(BigInt(asked.pounds) * 100n, rate, standardPayoutPrices);
  if (wallet.balance < walletDebit)
    return { kind: 'refused', code: 'insufficient_funds', details: formatUsdc(wallet.balance) };
  wallet.payouts.set(asked.key, { from, ask: asked });
  if (!asked.fails) wallet.balance -= walletDebit;
  return { kind: 'created', from, state: asked.fails ? 'failed' : 'processing' };
}

/** Of one key only one is under way at a time: its second order in a burst has its turn after all first ones. */
function inTurn(burst: readonly Ask[]): number[] {
  const turnOf = new Map<string, number>();
  const turns = burst.map(({ partner, key }) => {
    const turn = (turnOf.get(`${partner} ${key}`) ?? 0) + 1;
    turnOf.set(`${partner} ${key}`, turn);
    return turn;
  });
  return [...burst.keys()].toSorted((a, b) => (turns[a] ?? 0) - (turns[b] ?? 0) || a - b);
}

function runModel(bursts: readonly Ask[][]): { seen: Seen[][]; balances: bigint[] } {
  const wallets = Array.from({ length: partnersASeed }, (): ModelWallet => ({
    balance: floatMicroUsdc,
    payouts: new Map(),
  }));
  const seen = bursts.map((burst, at) => {
    const answers: Seen[] = [];
    for (const place of inTurn(burst)) {
      const asked = burst[place];
      const wallet = wallets[asked?.partner ?? -1];
      assert(asked !== undefined && wallet !== undefined);
      answers[place] = answer(wallet, asked, `${at}.${place}`);
    }
    return answers;
  });
  return { seen, balances: wallets.map(({ balance }) => balance) };
}

interface Partner extends PartnerContext {
  keyId: string;
  revokedKeyId: string;
}

async function createSeedPartners(count: number): Promise<Partner[]> {
  const partnerEnvironments = await createPartners(database, count);
  await depositToEach(database, partnerEnvironments, floatMicroUsdc);
  const partners = partnerEnvironments.map(({ partnerId, environment }) => {
    const [keyId, revokedKeyId] = [newId(systemClock), newId(systemClock)];
    return { partnerId, environment, keyId, revokedKeyId };
  });
  await asAdmin(database.superuserUrl, async (admin) =>
    admin.query(
      `insert into kelpie.api_keys (id, partner_id, environment, key_prefix, secret_hmac, created_at, revoked_at)
       select id, partner_id, 'sandbox', 'kp_sandbox_00000000', sha256(id::text::bytea), now(), revoked_at
       from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as key (id, partner_id, revoked_at)`,
      [
        partners.flatMap(({ keyId, revokedKeyId }) => [keyId, revokedKeyId]),
        partners.flatMap(({ partnerId }) => [partnerId, partnerId]),
        partners.flatMap(() => [null, new Date()]),
      ],
    ),
  );
  return partners;
}

/** How many went into each commit. */
const batchSizes: number[] = [];

function recordBatches(calls: SingleCalls): SingleCalls {
  return {
    ...calls,
    async call(call, values) {
      if (call.name === payoutCalls.createPayouts.name) batchSizes.push(String(values[0]).split(',').length);
      return calls.call(call, values);
    },
  };
}

function createDeps(): CreateDeps {
  const deps = createPayoutDeps(database, banks);
  const secret = randomBytes(32);
  return {
    ...deps,
    // Whatever the way that the other tests run: this one is about batches.
    commits: createCommits(recordBatches(deps.calls), systemClock, { atOnce: 64 }),
    rates: createRates(banks, systemClock),
    accountDigest: createVersionedDigest(new Map([[1, secret]]), 'account index'),
    bodyDigest: createVersionedDigest(new Map([[1, secret]]), 'body fingerprint'),
    confirmations: {
      ask: async () => assert.fail('a key confirms nothing'),
      given: () => assert.fail('a key confirms nothing'),
      use: async () => assert.fail('a key confirms nothing'),
    },
    notifyAdmins: async () => assert.fail('nothing asks for approval'),
    dashboardUrl: '',
  };
}

async function order(deps: CreateDeps, partner: Partner, asked: Ask) {
  const address = { line1: '1 High Street', line2: null, city: 'Leeds', postalCode: 'LS1 1AA', region: 'England' };
  return createPayout(deps, {
    partnerId: partner.partnerId,
    environment: partner.environment,
    via: 'api',
    callerId: asked.revoked ? partner.revokedKeyId : partner.keyId,
    by: 'kp_sandbox_00000000',
    requestId: newId(systemClock),
    payoutId: newId(systemClock),
    idempotencyKey: `key-number-${asked.key}`,
    confirmCode: null,
    order: {
      amount: BigInt(asked.pounds) * 100n,
      country: 'GB',
      reference: null,
      recipient: {
        type: 'individual',
        firstName: 'Ada',
        lastName: 'Byron',
        email: null,
        address,
        bankName: 'Bank',
        sortCode: '040004',
        accountNumber: asked.fails ? '12340000' : '12345678',
      },
    },
  });
}

function detailsOf({ code, details }: ApiError, nameOf: (id: unknown) => string): unknown {
  if (code === 'insufficient_funds') return textAt(details, 'available_usdc');
  if (code === 'idempotency_key_reused') return [nameOf(textAt(details, 'payout_id')), valueAt(details, 'mismatched')];
  return undefined;
}

async function runService(deps: CreateDeps, partners: readonly Partner[], bursts: readonly Ask[][]) {
  const names = new Map<unknown, string>();
  const nameOf = (id: unknown): string => names.get(id) ?? `an unknown payout ${String(id)}`;
  const seen: Seen[][] = [];
  for (const [at, burst] of bursts.entries()) {
    const results = await Promise.allSettled(
      burst.map(async (asked) => {
        const partner = partners[asked.partner];
        assert(partner !== undefined);
        return order(deps, partner, asked);
      }),
    );
    for (const [place, result] of results.entries())
      if (result.status === 'fulfilled' && result.value.kind === 'created')
        names.set(result.value.payout.id, `${at}.${place}`);
    seen.push(
      results.map((result): Seen => {
        if (result.status === 'fulfilled') {
          const { kind, payout } = result.value;
          return { kind, from: nameOf(payout.id), state: payout.state };
        }
        if (!(result.reason instanceof ApiError)) throw result.reason;
        return { kind: 'refused', code: result.reason.code, details: detailsOf(result.reason, nameOf) };
      }),
    );
  }
  return seen;
}

async function balancesOf(partners: readonly PartnerContext[]): Promise<Map<string, bigint>> {
  return asAdmin(database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ partner_id: string; balance: string }>(
      'select partner_id, balance_micro_usdc as balance from kelpie.wallets where partner_id = any ($1)',
      [partners.map(({ partnerId }) => partnerId)],
    );
    return new Map(rows.map((row) => [row.partner_id, BigInt(row.balance)]));
  });
}

test(`${seeds} random bursts of mixed partners are answered in batches as one by one`, async (t) => {
  const partners = await createSeedPartners(seeds * partnersASeed);
  const samples = fc.sample(history, { numRuns: seeds, seed: 20_261_115 });
  const counts: Record<string, number> = {};
  const expected = new Map<string, bigint>();
  await Promise.all(
    Array.from({ length: sideBySide }, async (_, lane) => {
      const deps = createDeps();
      for (let at = lane; at < seeds; at += sideBySide) {
        const bursts = samples[at] ?? [];
        const own = partners.slice(at * partnersASeed, (at + 1) * partnersASeed);
        const model = runModel(bursts);
        const seen = await runService(deps, own, bursts);
        assert.deepEqual(seen, model.seen, `seed ${at}: ${inspect(bursts, { depth: 9 })}`);
        for (const [which, { partnerId }] of own.entries()) expected.set(partnerId, model.balances[which] ?? -1n);
        for (const one of seen.flat()) {
          const name = one.kind === 'refused' ? one.code : one.kind;
          counts[name] = (counts[name] ?? 0) + 1;
        }
      }
    }),
  );
  const balances = await balancesOf(partners);
  for (const [partnerId, balance] of expected) assert.equal(balances.get(partnerId), balance);
  await assertBooksHold(database);
  t.diagnostic(JSON.stringify(counts));
  const ofMany = batchSizes.filter((size) => size > 1);
  t.diagnostic(
    `${batchSizes.length} batches, ${ofMany.length} of more than one, the largest of ${Math.max(...ofMany)}`,
  );
  assert(ofMany.length > seeds, 'too few orders met in a batch');
  for (const kind of ['created', 'replayed', 'insufficient_funds', 'idempotency_key_reused', 'unauthorized'])
    assert((counts[kind] ?? 0) > seeds / 10, `${kind} was seen too seldom to mean anything: ${JSON.stringify(counts)}`);
});
