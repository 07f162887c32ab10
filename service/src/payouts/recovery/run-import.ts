import { listEnvironmentsAtBanks } from '../../partners/index.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import type { PayoutDeps } from '../lifecycle/deps.ts';
import { findRecovery, finishImport, type Recovery } from '../records/recovery-store.ts';
import { importPayments, type ImportedEnvironment, type Unresolved } from './import-payments.ts';

interface ImportRun {
  environment: PartnerContext['environment'];
  /** Reads the bank's whole lists. Otherwise from the last heartbeat on that the database knows of. */
  everything: boolean;
  by: string;
  dryRun: boolean;
  onProgress?: (partnerId: string, payments: number) => void;
}

export interface ImportReport extends Omit<ImportedEnvironment, 'isComplete' | 'unresolved'> {
  partners: number;
  /** Partners whose list could not be read to its end. */
  incomplete: string[];
  unresolved: (Unresolved & { partnerId: string })[];
  /** Nothing is missing any more. */
  isDone: boolean;
}

/** Live is closed while a recovery is in progress, so what its payouts became of is settled too. Sandbox goes on. */
function settleBefore({ environment }: ImportRun, recovery: Recovery | null): Date | null {
  return environment === 'live' ? (recovery?.beganAt ?? null) : null;
}

/** Rebuilds what the bank did for every partner and we forgot. One commit per payout: a run that was killed is repeated. */
export async function runImport(deps: PayoutDeps, run: ImportRun): Promise<ImportReport> {
  const recovery = await findRecovery(deps.calls);
  const since = run.everything ? null : (recovery?.lostSince ?? null);
  const settling = settleBefore(run, recovery);
  const report = emptyReport();
  for await (const at of listEnvironmentsAtBanks(deps.calls)) {
    if (at.environment !== run.environment) continue;
    const { partnerId } = at;
    const onProgress = (payments: number): void => run.onProgress?.(partnerId, payments);
    const { by, dryRun } = run;
    add(report, partnerId, await importPayments(deps, at, { since, settleBefore: settling, by, dryRun, onProgress }));
  }
  report.isDone = report.incomplete.length === 0 && report.unresolved.length === 0;
  if (report.isDone && settling !== null && !run.dryRun && recovery !== null)
    await finishImport(deps.calls, recovery.id, deps.clock.now());
  return report;
}

const counts = ['payments', 'imported', 'applied', 'released', 'woken'] as const;

function emptyReport(): ImportReport {
  const none = { payments: 0, imported: 0, applied: 0, released: 0, woken: 0 };
  return { partners: 0, ...none, incomplete: [], unresolved: [], isDone: false };
}

function add(report: ImportReport, partnerId: string, done: ImportedEnvironment): void {
  report.partners += 1;
  for (const count of counts) report[count] += done[count];
  if (!done.isComplete) report.incomplete.push(partnerId);
  for (const { what, id } of done.unresolved) report.unresolved.push({ partnerId, what, id });
}
