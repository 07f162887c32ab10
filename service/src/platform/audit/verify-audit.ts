import type { Transaction } from '../database/transaction.ts';
import { beginAction, endOf, noMac, type Anchor, type AuditChain, type AuditHead, type AuditRow } from './chain.ts';
import { countRows, findHead, listRowsAfter, readOneSnapshot } from './store.ts';

export interface AuditVerification {
  rows: number;
  /** The last entry. Save it outside the database as an anchor. */
  head: Anchor | null;
  /** No entry was written with this key, so the key is wrong, not the log. */
  isAnotherKey: boolean;
  /** How many anchors were checked. */
  anchors: number;
  /** One sentence per difference, at most a hundred. */
  differences: string[];
}

const rowsAtOnce = 1_000;
/** Enough to see what is wrong. */
const mostDifferences = 100;

interface Progress {
  last: Pick<AuditRow, 'seq' | 'mac'>;
  rows: number;
  /** Entries that don't match their own digest. */
  unlike: number;
  /** Anchors whose entries are not found yet. */
  wanted: Map<bigint, string>;
  differences: string[];
}

function judgePlace({ last }: Progress, row: AuditRow): string[] {
  const missing = row.seq - last.seq - 1n;
  if (missing === 1n) return [`entry ${last.seq + 1n} is missing`];
  if (missing > 1n) return [`entries ${last.seq + 1n} to ${row.seq - 1n} are missing`];
  return row.previousMac.equals(last.mac) ? [] : [`entry ${row.seq} is not chained to the entry before it`];
}

function judgeRow(chain: AuditChain, progress: Progress, row: AuditRow): void {
  const found = judgePlace(progress, row);
  if (!chain.macOf(row).equals(row.mac)) {
    progress.unlike += 1;
    found.push(`entry ${row.seq} was changed, or written without the key`);
  }
  // Reported for ever, because nothing before this entry can be trusted.
  if (row.action === beginAction && row.seq > 1n) found.push(`entry ${row.seq} continues the log after a break`);
  const kept = progress.wanted.get(row.seq);
  if (kept !== undefined) {
    progress.wanted.delete(row.seq);
    if (kept !== row.mac.toString('hex')) found.push(`entry ${row.seq} does not match its anchor`);
  }
  if (progress.differences.length < mostDifferences) progress.differences.push(...found);
  progress.last = row;
  progress.rows += 1;
}

function judgeHead(chain: AuditChain, { last, rows }: Progress, head: AuditHead | null): string[] {
  if (head === null) return ['the record of the log’s end is missing'];
  const end = endOf(chain, head);
  if (end === 'none' && rows === 0) return ['the log is empty: it was never started, or everything was removed'];
  if (end !== 'own') return ['the record of the log’s end was changed'];
  if (head.seq > last.seq) return [`the log should end with entry ${head.seq} but ends with entry ${last.seq}`];
  if (head.seq < last.seq) return [`entry ${last.seq} is after the end of the log, which is entry ${head.seq}`];
  return head.mac.equals(last.mac) ? [] : [`entry ${last.seq} is not the one recorded as the end of the log`];
}

/** Entries with a duplicate number have no place in the chain, and could hide between two pages. */
async function judgeCount(tx: Transaction, { rows }: Progress): Promise<string[]> {
  const more = (await countRows(tx)) - rows;
  return more === 0 ? [] : [`the table has ${more} more entries than the chain`];
}

/** If no entry matches, nor the end, the key is wrong. */
function fitsAnotherKey(chain: AuditChain, { rows, unlike }: Progress, head: AuditHead | null): boolean {
  return rows > 0 && unlike === rows && head !== null && endOf(chain, head) !== 'own';
}

interface VerifyOptions {
  /** Each must still be in the log. */
  anchors?: readonly Anchor[];
  onProgress?: (rows: number) => void;
}

/**
 * Reads the whole log and lists what was changed, removed or moved. Runs as kelpie_reader, first in its transaction. Only an
 * anchor, kept outside the database, shows that the log was rolled back together with the record of its end.
 */
export async function verifyAudit(
  tx: Transaction,
  chain: AuditChain,
  { anchors = [], onProgress }: VerifyOptions = {},
): Promise<AuditVerification> {
  await readOneSnapshot(tx);
  const wanted = new Map(anchors.map(({ seq, mac }) => [seq, mac]));
  const progress: Progress = { last: { seq: 0n, mac: noMac }, rows: 0, unlike: 0, wanted, differences: [] };
  for (;;) {
    const page = await listRowsAfter(tx, progress.last.seq, rowsAtOnce);
    for (const row of page) judgeRow(chain, progress, row);
    onProgress?.(progress.rows);
    if (page.length < rowsAtOnce) break;
  }
  const head = await findHead(tx);
  const { rows, last } = progress;
  const reported = { rows, head: rows === 0 ? null : { seq: last.seq, mac: last.mac.toString('hex') } };
  const isAnotherKey = fitsAnotherKey(chain, progress, head);
  if (isAnotherKey) {
    const sentence = `none of the ${rows} entries was written with this KELPIE_AUDIT_KEY, so the key is wrong`;
    return { ...reported, isAnotherKey, anchors: anchors.length, differences: [sentence] };
  }
  const lost = [...wanted.keys()].map((seq) => `entry ${seq}, which has an anchor, is missing`);
  const differences = [
    ...judgeHead(chain, progress, head),
    ...(await judgeCount(tx, progress)),
    ...lost,
    ...progress.differences,
  ];
  return { ...reported, isAnotherKey, anchors: anchors.length, differences: differences.slice(0, mostDifferences) };
}
