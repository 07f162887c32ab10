import type { Transaction } from '../database/transaction.ts';
import { beginAction, endOf, noMac, type Anchor, type AuditChain, type AuditHead, type AuditRow } from './chain.ts';
import { countRows, findHead, listRowsAfter, readOneSnapshot } from './store.ts';

export interface AuditVerification {
  rows: number;
  /** Where the log ends: worth keeping elsewhere. */
  head: Anchor | null;
  /** Nothing of it was written with this key: it is the key that is another. */
  isAnotherKey: boolean;
  /** How many that were kept elsewhere were looked for. */
  anchors: number;
  /** Sentences, each naming one thing that is not as it was written; at most a hundred. Empty where all is. */
  differences: string[];
}

const rowsAtOnce = 1_000;
/** Enough to see what kind of trouble it is. */
const mostDifferences = 100;

interface Progress {
  last: Pick<AuditRow, 'seq' | 'mac'>;
  rows: number;
  /** How many rows are not what their own digest says. */
  unlike: number;
  /** Those that were kept elsewhere and are not found yet. */
  wanted: Map<bigint, string>;
  differences: string[];
}

function judgePlace({ last }: Progress, row: AuditRow): string[] {
  const missing = row.seq - last.seq - 1n;
  if (missing === 1n) return [`row ${last.seq + 1n} is missing`];
  if (missing > 1n) return [`rows ${last.seq + 1n} to ${row.seq - 1n} are missing`];
  return row.previousMac.equals(last.mac) ? [] : [`row ${row.seq} does not follow from the one before it`];
}

function judgeRow(chain: AuditChain, progress: Progress, row: AuditRow): void {
  const found = judgePlace(progress, row);
  if (!chain.macOf(row).equals(row.mac)) {
    progress.unlike += 1;
    found.push(`row ${row.seq} is not as it was written`);
  }
  // For ever: what came before it is not to be believed, whatever else is found of it.
  if (row.action === beginAction && row.seq > 1n)
    found.push(`row ${row.seq} takes the log up again, after an end that was not as it was written`);
  const kept = progress.wanted.get(row.seq);
  if (kept !== undefined) {
    progress.wanted.delete(row.seq);
    if (kept !== row.mac.toString('hex')) found.push(`row ${row.seq} is not the one that was kept elsewhere`);
  }
  if (progress.differences.length < mostDifferences) progress.differences.push(...found);
  progress.last = row;
  progress.rows += 1;
}

function judgeHead(chain: AuditChain, { last, rows }: Progress, head: AuditHead | null): string[] {
  if (head === null) return ['the end of the log is not noted any more'];
  const end = endOf(chain, head);
  if (end === 'none' && rows === 0)
    return ['the log has no beginning: either nobody has written it yet, or all of the log was removed'];
  if (end !== 'own') return ['the note of where the log ends is not as it was written'];
  if (head.seq > last.seq) return [`the log ended with row ${head.seq}, and ends with row ${last.seq} now`];
  if (head.seq < last.seq) return [`row ${last.seq} is behind the end of the log, which is row ${head.seq}`];
  return head.mac.equals(last.mac) ? [] : [`row ${last.seq} is not the one that the log ended with`];
}

/** Rows with a number twice, or with none that counts: they have no place in the chain, and could hide between two pages. */
async function judgeCount(tx: Transaction, { rows }: Progress): Promise<string[]> {
  const more = (await countRows(tx)) - rows;
  return more === 0 ? [] : [`there are ${more} rows more than the log has places for`];
}

/** Where not one row nor the end fits the key, it is the key that is another. */
function fitsAnotherKey(chain: AuditChain, { rows, unlike }: Progress, head: AuditHead | null): boolean {
  return rows > 0 && unlike === rows && head !== null && endOf(chain, head) !== 'own';
}

interface VerifyOptions {
  /** What was kept elsewhere: each must still be there. */
  anchors?: readonly Anchor[];
  onProgress?: (rows: number) => void;
}

/**
 * Reads the whole log and says what was changed, removed or moved since it was written. As the reading role, and first in its
 * transaction. A tail that was cut off together with an old note of its end shows by an anchor alone: by what was kept
 * elsewhere.
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
    const sentence = `none of the ${rows} rows was written with this KELPIE_AUDIT_KEY, nor was their end: it is another key`;
    return { ...reported, isAnotherKey, anchors: anchors.length, differences: [sentence] };
  }
  const lost = [...wanted.keys()].map((seq) => `row ${seq}, which was kept elsewhere, is missing`);
  const differences = [
    ...judgeHead(chain, progress, head),
    ...(await judgeCount(tx, progress)),
    ...lost,
    ...progress.differences,
  ];
  return { ...reported, isAnotherKey, anchors: anchors.length, differences: differences.slice(0, mostDifferences) };
}
