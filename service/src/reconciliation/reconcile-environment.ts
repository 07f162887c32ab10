import { inTransaction } from '../platform/database/transaction.ts';
import { writeCases } from './cases/write-cases.ts';
import { checkBalance, type CheckedBalance } from './check-balance.ts';
import { listMoving } from './check-transfers.ts';
import { compareLines, type ComparedLines } from './compare-lines.ts';
import { beginAfter, type Window } from './cut-off.ts';
import type { Difference } from './cases/difference.ts';
import { recheckOpenCases } from './recheck-open-cases.ts';
import { BankSilent, type Comparing } from './deps.ts';
import { findComparedUpto, insertEnvironment, type EnvironmentFindings } from './store.ts';

interface Options {
  /** Compare from here on, in place of where the last run says; null for all there is. */
  from: Date | null | undefined;
  /** Look, and write nothing. */
  dryRun: boolean;
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
  const { cutOff } = comparing.run;
  const earlier = await readComparedUpto(comparing);
  const window = { from: options.from === undefined ? beginAfter(earlier, cutOff) : options.from, cutOff };
  const lines = await compareLines(comparing, window, options.onProgress);
  const balance = await compareBalance(comparing, window, lines);
  const isUpto = lines.trouble === null && reachesBack(window, earlier);
  const differences = [...lines.differences, ...(balance.kind === 'different' ? [balance.difference] : [])];
  const gone = await recheckOpenCases(comparing, differences, { isBalanceEqual: balance.kind === 'equal', isUpto });
  const findings = { ...findingsOf(window, lines, balance), comparedUpto: isUpto ? cutOff : earlier };
  return conclude(comparing, { findings, differences, gone }, options);
}

/** For a partner environment of which nothing could be compared. */
export async function recordTrouble(
  comparing: Omit<Comparing, 'bank'>,
  trouble: string,
  options: Pick<Options, 'dryRun'>,
): Promise<EnvironmentResult> {
  const window = { from: null, cutOff: comparing.run.cutOff };
  const nothing = { transfers: 0, deposits: 0, inFlight: 0, balance: null };
  const comparedUpto = await readComparedUpto(comparing);
  const findings = { window, ...nothing, trouble, comparedUpto };
  return conclude(comparing, { findings, differences: [], gone: new Set() }, options);
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
async function compareBalance(comparing: Comparing, window: Window, { matcher }: ComparedLines): Promise<Balance> {
  const first = { moving: matcher.movingPayments, depositsFrom: window.cutOff };
  try {
    return await checkBalance(comparing, first, async () => ({
      moving: await listMoving(comparing, window),
      depositsFrom: window.from,
    }));
  } catch (error) {
    if (!(error instanceof BankSilent)) throw error;
    return { kind: 'silent', trouble: error.message };
  }
}

function troubleOf(balance: Balance): string | null {
  if (balance.kind === 'silent') return balance.trouble;
  return balance.kind === 'restless' ? 'the wallet did not stand still for long enough to be compared' : null;
}

const longestTrouble = 200;

function findingsOf(window: Window, { matcher, deposits, trouble }: ComparedLines, balance: Balance) {
  const troubles = [trouble, troubleOf(balance)].filter((one) => one !== null);
  return {
    window,
    transfers: matcher.compared,
    deposits: deposits.compared,
    inFlight: matcher.inFlight + deposits.inFlight,
    balance: 'balance' in balance ? balance.balance : null,
    trouble: troubles.length === 0 ? null : troubles.join('; ').slice(0, longestTrouble),
  };
}

type Writing = Pick<Comparing, 'pool' | 'partnerEnvironment' | 'run' | 'clock' | 'logger'>;

async function conclude(
  { pool, partnerEnvironment, run, clock, logger }: Writing,
  { findings, differences, gone }: Seen,
  { dryRun }: Pick<Options, 'dryRun'>,
): Promise<EnvironmentResult> {
  const result = { ...findings, differences: differences.length, known: 0, found: differences };
  if (dryRun) return result;
  const { opened, known } = await inTransaction(pool, partnerEnvironment, async (tx) => {
    const written = await writeCases({ tx, partnerEnvironment, clock, runId: run.id }, { differences, gone });
    const whole = { ...result, known: written.known };
    await insertEnvironment(tx, { runId: run.id, partnerEnvironment, findings: whole, at: clock.now() });
    return written;
  });
  const line = { partner_id: partnerEnvironment.partnerId, environment: partnerEnvironment.environment };
  // An alarm each: a person has to look.
  for (const { id, kind } of opened) logger.error({ ...line, case_id: id, action: kind }, 'reconciliation.case_opened');
  if (result.trouble !== null) logger.warn(line, 'reconciliation.incomplete');
  return { ...result, known };
}
