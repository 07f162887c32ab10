import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { idFor } from '../platform/ids.ts';
import { createLogger } from '../platform/logging.ts';
import { keyOfEntry, parseEntry } from './archived-line.ts';
import { createDirectoryStore } from './directory-store.ts';
import { createMonthReader } from './month-reader.ts';
import { writeMonth } from './write-month.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-archive-'));
after(() => rmSync(folder, { recursive: true }));
const store = createDirectoryStore(folder);
const owner = { partnerId: randomUUID(), environment: 'live' };
const neighbour = { partnerId: randomUUID(), environment: 'live' };

interface PlantedEntry {
  transferId: string;
  text: string;
}

function plantEntry(of: typeof owner, transferId: string, number: number | null): PlantedEntry {
  const entry = {
    transfer_id: transferId,
    line: number === null ? 1 : 2,
    partner_id: of.partnerId,
    environment: of.environment,
    account: number === null ? 'receivable' : 'wallet',
    reason: 'planted',
    wallet_version: number,
  };
  return { transferId, text: JSON.stringify(entry) };
}

/** One transfer every ten seconds of two days, each with a movement and a charge: many blocks, which hold both in between. */
const transfers = Array.from({ length: 17_280 }, (_, nth) =>
  idFor(new Date(Date.UTC(2025, 0, 3, 0, 0, nth * 10)), randomBytes(16)),
);
const texts = transfers
  .flatMap((id, nth) => [
    plantEntry(owner, id, null),
    plantEntry(owner, id, nth + 1),
    ...(nth % 7 === 0 ? [plantEntry(neighbour, id, nth + 1)] : []),
  ])
  .map(({ text }) => ({ text, key: keyOfEntry(parseEntry(text)) }))
  .toSorted((a, b) => (a.key < b.key ? -1 : 1))
  .map(({ text }) => text);

const name = '2025-01-00000000';
const { manifest, manifestDigest } = await writeMonth(
  store,
  { month: '2025-01', name },
  {
    payouts: (async function* () {
      yield [];
    })(),
    entries: (async function* () {
      yield texts;
    })(),
  },
);
const month = { month: '2025-01', name, manifestDigest };
const reader = createMonthReader({ store, listMonths: async () => [month], logger: createLogger('test', 'silent') });

test('a transfer is found with its movement and its charge, wherever they lie in the blocks of its day', async () => {
  assert(manifest.entries.blocks.length > 15);
  for (let nth = 0; nth < transfers.length; nth += 97) {
    const id = transfers[nth] ?? '';
    const found = await reader.findTransfer(month, owner, id);
    assert.deepEqual(
      found.map(({ transferId, account, number }) => [transferId, account, number]),
      [
        [id, 'receivable', 0],
        [id, 'wallet', nth + 1],
      ],
    );
  }
});

test("a transfer of a partner is not another's", async () => {
  assert.deepEqual(await reader.findTransfer(month, neighbour, transfers[1] ?? ''), []);
});

test('the numbers of each day are those of its movements', async () => {
  assert.deepEqual(await reader.readNumbers(month, owner), [
    { day: '2025-01-03', lowest: 1, highest: 8_640 },
    { day: '2025-01-04', lowest: 8_641, highest: 17_280 },
  ]);
});

test('of a month that is back meanwhile, reading it is asked for again, without an alarm', async () => {
  const gone = createMonthReader({
    store: createDirectoryStore(path.join(folder, 'none')),
    listMonths: async () => [],
    logger: createLogger('test', 'silent'),
  });
  await assert.rejects(gone.findTransfer(month, owner, transfers[0] ?? ''), {
    code: 'unavailable',
    retryAfterSeconds: 1,
  });
});
