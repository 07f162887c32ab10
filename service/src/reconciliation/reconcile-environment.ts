import { inTransaction } from '../platform/database/transaction.ts';
import { writeCases } from './cases/write-cases.ts';
import { checkBalance, type CheckedBalance } from './check-balance.ts';
import { checkRecalls } from './check-recalls.ts';
import { compareLines, type ComparedLines, type Windows } from './compare-lines.ts';
import { depositsAfter, transfersAfter, type Window } from './cut-off.ts';
import type { Difference } from './cases/difference.ts';
import { recheckOpenCases } from './recheck-open-cases.ts';
import { BankSilent, type Comparing } from './deps.ts';
import { endProgress } from './progress/store.ts';
import { findComparedUpto, insertEnvironment, type EnvironmentFindings } from './store.ts';

interface Options {
  /** Compare from here on, in place of where the last run says; null for all there is. */
  from: Date | null | undefined;
  onProgress: (lines: number) => void;
}

export interface EnvironmentResult extends EnvironmentFindings {
  found: readonly Difference[];
}

/** All that was found, before anything of it is written. */
interface Seen {
  findings: Omit<EnvironmentFindings, 'differences' | 'known'>;
  differences: readonly Difference[];
  /** Ids of cases. */
  gone: ReadonlySet<string>;
}

/** Compares one partner environment with its bank. What the bank does not tell is told in the result, and not thrown. */
export async function reconcileEnvironment(comparing: Comparing, options: Options): Promise<EnvironmentResult> {
  const earlier = await readComparedUpto(comparing);
  const windows = windowsOf(comparing, options, earlier);
  const window = windows.transfers;
  const lines = await compareLines(comparing, windows, options.onProgress);
  const balance = await compareBalance(comparing);
  const recalls = await checkRecalls(comparing);
  if (recalls === null) comparing.logger.warn(lineOf(comparing), 'reconciliation.recalls_not_listed');
  const isUpto = lines.trouble === null && reachesBack(window, earlier);
  const ofBalance = balance.kind === 'different' ? [balance.difference] : [];
  const differences = [...lines.differences, ...(recalls ?? []), ...ofBalance];
  const seen = { isBalanceEqual: balance.kind === 'equal', isUpto, areRecallsListed: recalls !== null };
  const gone = await recheckOpenCases(comparing, differences, seen);
  const findings = { ...findingsOf(window, lines, balance), comparedUpto: isUpto ? window.cutOff : earlier };
  return conclude(comparing, { findings, differences, gone });
}

function windowsOf({ run: { cutOff } }: Comparing, { from }: Options, earlier: Date | null): Windows {
  if (from !== undefined) return { transfers: { from, cutOff, changedSince: null }, deposits: { from, cutOff } };
  return { transfers: transfersAfter(earlier, cutOff), deposits: depositsAfter(earlier, cutOff) };
}

function lineOf({ partnerEnvironment: { partnerId, environment } }: Pick<Comparing, 'partnerEnvironment'>) {
  return { partner_id: partnerId, environment };
}

/** For a partner environment of which nothing could be compared. */
export async function recordTrouble(comparing: Omit<Comparing, 'bank'>, trouble: string): Promise<EnvironmentResult> {
  const window = { from: null, cutOff: comparing.run.cutOff };
  const nothing = { transfers: 0, deposits: 0, inFlight: 0, balance: null };
  const comparedUpto = await readComparedUpto(comparing);
  const findings = { window, ...nothing, trouble, comparedUpto };
  return conclude(comparing, { findings, differences: [], gone: new Set() });
}

async function readComparedUpto({
  pool,
  partnerEnvironment,
}: Pick<Comparing, 'pool' | 'partnerEnvironment'>): Promise<Date | null> {
  return inTransaction(pool, partnerEnvironment, async (tx) => findComparedUpto(tx));
}

/** Else nobody has compared what lies between the last run and this window, and a later run still has to. */
function reachesBack({ from }: Window, earlier: Date | null): boolean {
  return from === null || (earlier !== null && from <= earlier);
}

type Balance = CheckedBalance | { kind: 'silent'; trouble: string };

/** Always, whatever else could be compared: it is the money itself. */
async function compareBalance(comparing: Comparing): Promise<Balance> {
  try {
    return await checkBalance(comparing);
  } catch (error) {
    if (!(error instanceof BankSilent)) throw error;
    return { kind: 'silent', trouble: error.message };
  }
}

function troubleOf(balance: Balance): string | null {
  if (balance.kind === 'silent') return balance.trouble;
  return balance.kind === 'restless' ? "the wallet moved in ways that the bank's list did not explain" : null;
}

const longestTrouble = 200;

function findingsOf(window: Window, { transfers, deposits, inFlight, trouble }: ComparedLines, balance: Balance) {
  const troubles = [trouble, troubleOf(balance)].filter((one) => one !== null);
  return {
    window,
    transfers,
    deposits,
    inFlight,
    balance: 'balance' in balance ? balance.balance : null,
    trouble: troubles.length === 0 ? null : troubles.join('; ').slice(0, longestTrouble),
  };
}

type Writing = Pick<Comparing, 'pool' | 'partnerEnvironment' | 'run' | 'clock' | 'logger' | 'isDryRun'>;

async function conclude(
  { pool, partnerEnvironment, run, clock, logger, isDryRun }: Writing,
  { findings, differences, gone }: Seen,
): Promise<EnvironmentResult> {
  const result = { ...findings, differences: differences.length, known: 0, found: differences };
  if (isDryRun) return result;
  const { opened, known } = await inTransaction(pool, partnerEnvironment, async (tx) => {
    const written = await writeCases({ tx, partnerEnvironment, clock, runId: run.id }, { differences, gone });
    const whole = { ...result, known: written.known };
    await insertEnvironment(tx, { runId: run.id, partnerEnvironment, findings: whole, at: clock.now() });
    await endProgress(tx, run.id);
    return written;
  });
  const line = lineOf({ partnerEnvironment });
  // An alarm each: a person has to look.
  for (const { id, kind } of opened) logger.error({ ...line, case_id: id, action: kind }, 'reconciliation.case_opened');
  if (result.trouble !== null) logger.warn(line, 'reconciliation.incomplete');
  return { ...result, known };
}
