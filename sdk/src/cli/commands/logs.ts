import type { Command } from 'commander';
import { KelpieError, KelpieUnreachable, type ActivityEntry } from '../../index.ts';
import { addHelp } from '../help.ts';
import { onInterruption, pause } from '../interruption.ts';
import { withJson, type JsonOption } from '../option-values.ts';
import { note, shortInstant, visible } from '../printing.ts';
import { connectKelpie, readSettings } from '../settings.ts';

const pollMs = 1_000;
const longestPauseMs = 30_000;
const shownAtFirst = 20;

/** Reading the log is itself in the log: without this, each look would print the look before it. */
const ownAction = 'activity.list';

const keyOf = (entry: ActivityEntry): string => JSON.stringify(entry);

interface News {
  fresh: ActivityEntry[];
  /** Whether entries may have gone by between two reads. */
  isGap: boolean;
}

/** The entries that were not in the last page, the oldest first. Entries have no number, so they are compared as a whole. */
export function newEntries(page: readonly ActivityEntry[], seen: ReadonlySet<string> | undefined): News {
  const shown = page.filter(({ action }) => action !== ownAction);
  if (seen === undefined) return { fresh: shown.slice(0, shownAtFirst).toReversed(), isGap: false };
  const fresh = shown.filter((entry) => !seen.has(keyOf(entry))).toReversed();
  return { fresh, isGap: seen.size > 0 && page.length >= 200 && !page.some((entry) => seen.has(keyOf(entry))) };
}

function lineOf({ at, status, action, by, detail, environment }: ActivityEntry): string {
  const cells = [shortInstant(at), String(status ?? '---'), action.padEnd(20), environment ?? '-', by, detail ?? ''];
  return visible(cells.join('  ')).trimEnd();
}

function pauseAfter(error: unknown, failures: number): number {
  const isPassing =
    error instanceof KelpieUnreachable ||
    (error instanceof KelpieError && (error.status === 429 || error.status >= 500));
  if (!isPassing) throw error;
  const asked = error instanceof KelpieError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
  return Math.max(asked, Math.min(longestPauseMs, pollMs * 2 ** failures));
}

async function tailLogs({ json }: JsonOption): Promise<void> {
  const kelpie = connectKelpie(readSettings(), { retries: 0 });
  const signal = onInterruption();
  let seen: ReadonlySet<string> | undefined;
  let failures = 0;
  for (let waitMs = 0; await pause(waitMs, signal);) {
    try {
      const { data } = await kelpie.activity.list({}, { signal });
      const { fresh, isGap } = newEntries(data, seen);
      if (isGap && !json) note('More requests arrived between two reads than the log holds. Some are not shown.');
      for (const entry of fresh) process.stdout.write(`${json ? JSON.stringify(entry) : lineOf(entry)}\n`);
      seen = new Set(data.map(keyOf));
      failures = 0;
      waitMs = pollMs;
    } catch (error) {
      if (signal.aborted) return;
      waitMs = pauseAfter(error, failures);
      failures += 1;
      if (!json) note(`Kelpie did not answer. Trying again in ${Math.ceil(waitMs / 1_000)} s.`);
    }
  }
}

export function addLogCommands(program: Command): void {
  const logs = program.command('logs').description('Follow the requests to your account.');
  const tail = withJson(logs.command('tail'))
    .description('Print requests as they arrive, until you press Ctrl-C. Starts with the last 20.')
    .action(tailLogs);
  addHelp(tail, {
    examples: ['kelpie logs tail'],
    prints:
      'One line per request: time, status, action, environment, caller, and the id or error code. Its own reads are left out.',
  });
}
