import type { Clock } from '../../platform/clock.ts';
import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import type { Difference } from './difference.ts';
import { addStep, insertCase, lockCases, markGone, seeCaseAgain, type DifferenceCase } from './store.ts';

interface Found {
  differences: readonly Difference[];
  /** Cases whose difference was looked for and is no longer there. */
  gone: ReadonlySet<string>;
}

interface WrittenCases {
  opened: { id: string; kind: string }[];
  /** Differences whose case an operator has closed: seen again, and no news. */
  known: number;
}

interface Writing {
  tx: Transaction;
  partnerEnvironment: PartnerContext;
  clock: Clock;
  runId: string;
}

/**
 * The same difference is the same case: seen again, changed, or back. One that an operator has closed stays closed, as long as
 * it is the very same; but not one of a balance, which is the money itself.
 */
export async function writeCases(writing: Writing, { differences, gone }: Found): Promise<WrittenCases> {
  const { tx, partnerEnvironment } = writing;
  const subjects = differences.map(({ subject }) => subject);
  const cases = await lockCases(tx, partnerEnvironment, subjects);
  const written: WrittenCases = { opened: [], known: 0 };
  for (const difference of differences) {
    const alike = cases.filter(({ kind, subject }) => kind === difference.kind && subject === difference.subject);
    const open = alike.find(({ isClosed }) => !isClosed);
    const closed = alike.find(({ detail }) => detail === difference.detail && difference.kind !== 'wallet_balance');
    if (open !== undefined) await seeAgain(writing, open, difference);
    else if (closed !== undefined) {
      written.known += 1;
      await seeCaseAgain(tx, { ...difference, id: closed.id }, { runId: writing.runId, at: writing.clock.now() });
    } else written.opened.push({ id: await openCase(writing, difference), kind: difference.kind });
  }
  for (const one of cases) if (gone.has(one.id) && !one.isGone && !one.isClosed) await recordGone(writing, one);
  return written;
}

async function openCase({ tx, partnerEnvironment, clock, runId }: Writing, difference: Difference): Promise<string> {
  const id = newId(clock);
  const at = clock.now();
  await insertCase(tx, partnerEnvironment, { ...difference, id }, { runId, at });
  await addStep(tx, partnerEnvironment, {
    caseId: id,
    at,
    what: 'opened',
    by: `run ${runId}`,
    detail: difference.detail,
  });
  return id;
}

async function seeAgain(
  { tx, partnerEnvironment, clock, runId }: Writing,
  known: DifferenceCase,
  difference: Difference,
): Promise<void> {
  const at = clock.now();
  await seeCaseAgain(tx, { ...difference, id: known.id }, { runId, at });
  const step = { caseId: known.id, at, by: `run ${runId}`, detail: difference.detail };
  if (known.isGone) await addStep(tx, partnerEnvironment, { ...step, what: 'back' });
  else if (known.detail !== difference.detail) await addStep(tx, partnerEnvironment, { ...step, what: 'changed' });
}

async function recordGone(
  { tx, partnerEnvironment, clock, runId }: Writing,
  { id, detail }: DifferenceCase,
): Promise<void> {
  const at = clock.now();
  await markGone(tx, id, at);
  await addStep(tx, partnerEnvironment, {
    caseId: id,
    at,
    what: 'gone',
    by: `run ${runId}`,
    detail: `cleared: ${detail}`.slice(0, 500),
  });
}
