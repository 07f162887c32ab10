// What a run came to: for people, for programs, and as an exit code.
import { exitCodes } from '../command-error.ts';
import { counted, visible } from '../printing.ts';
import { isOpen } from './follow-results.ts';
import type { Stop } from './pay-rows.ts';
import type { RowResult } from './results-file.ts';

export interface Outcome {
  /** One per row of the file. */
  results: readonly RowResult[];
  created: number;
  /** By an earlier run, or under the same key in another way. */
  before: number;
  stop: Stop | 'interrupted' | undefined;
  /** Whether the run waited for its payouts. */
  waited: boolean;
  /** The name of the result file. */
  file: string;
}

const unpaid: ReadonlySet<string> = new Set(['refused', 'failed', 'cancelled', 'returned']);

function countBy(results: readonly RowResult[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { status } of results) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
}

export function outcomeAsJson({ results, created, before, stop, file }: Outcome): object {
  const counts = countBy(results);
  return {
    rows: results.length,
    created,
    created_earlier: before,
    refused: counts.get('refused') ?? 0,
    not_sent: counts.get('not_sent') ?? 0,
    statuses: Object.fromEntries(counts),
    stopped: stop === 'interrupted' ? { code: 'interrupted' } : (stop ?? null),
    results: file,
  };
}

export function describeOutcome({ results, created, before, waited, file }: Outcome): string {
  const counts = countBy(results);
  const [refused = 0, notSent = 0] = [counts.get('refused'), counts.get('not_sent')];
  const sentences = [
    `${counted(created, 'payout')} created.`,
    ...(before === 0 ? [] : [`${before.toLocaleString('en-GB')} created earlier.`]),
    ...(refused === 0 ? [] : [`${counted(refused, 'row')} refused.`]),
    ...(notSent === 0 ? [] : [`${counted(notSent, 'row')} not sent.`]),
  ];
  const paid = [...counts].filter(([status]) => status !== 'refused' && status !== 'not_sent');
  const statuses = paid.map(([status, count]) => `${count.toLocaleString('en-GB')} ${status}`).join(', ');
  return `${sentences.join(' ')}\n${waited && statuses !== '' ? `${statuses}.\n` : ''}Results: ${file}\n`;
}

/** What to do next; undefined where nothing is left to do. */
export function adviseAfter({ results, stop, waited }: Outcome): string | undefined {
  if (stop !== undefined) {
    const where = stop === 'interrupted' ? 'Interrupted.' : `Stopped at line ${stop.line}: ${visible(stop.why)}`;
    return `${where}\nRun the same command again to continue. No row is paid twice.`;
  }
  const open = results.filter(isOpen).length;
  return waited && open > 0
    ? `${counted(open, 'payout')} not final yet. Run the same command again to go on waiting.`
    : undefined;
}

export function exitCodeOf({ results, stop, waited }: Outcome): number {
  if (stop !== undefined) return stop === 'interrupted' ? exitCodes.interrupted : exitCodes.again;
  if (waited && results.some(isOpen)) return exitCodes.again;
  return results.some(({ status }) => unpaid.has(status)) ? exitCodes.found : exitCodes.done;
}
