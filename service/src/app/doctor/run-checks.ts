import { ApiError } from '../../platform/api-error.ts';
import { describeError } from '../../platform/logging.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { hints } from '../wiring/last-error.ts';
import { NotChecked, problem, warning, type Check, type Finding } from './finding.ts';

/** A finding with the name of its check. */
export interface NamedFinding extends Finding {
  check: string;
}

/** Longer than each single wait in a check. */
const deadlineMs = 20_000;

/** By their codes only: the text of an error may quote what no one else may read. */
export function reasonOf(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  const cause: unknown = error instanceof ApiError ? (error.cause ?? error) : error;
  if (cause instanceof Error && /does not support SSL/.test(cause.message)) return 'The server does not offer TLS.';
  const { name, code } = describeError(cause);
  if (code === 'connect_timeout') return 'It did not answer in time.';
  return hints.get(code ?? '') ?? `${[name, code].filter((part) => part !== undefined).join(' ')}.`;
}

function explain(error: unknown): Finding {
  if (error instanceof NotChecked) return warning(`Not checked: ${error.message}`);
  return problem(`Could not be checked: ${reasonOf(error)}`);
}

async function runOne({ name, run }: Check): Promise<NamedFinding[]> {
  const signal = AbortSignal.timeout(deadlineMs);
  const late = Promise.withResolvers<readonly Finding[]>();
  const onLate = (): void =>
    late.resolve([problem(`No answer within ${deadlineMs / 1_000} s. Check the network, then run it again.`)]);
  signal.addEventListener('abort', onLate);
  const running = run(signal).catch((error: unknown) => [explain(error)]);
  try {
    const findings = await Promise.race([running, late.promise]);
    return findings.map(({ status, message }) => ({ check: name, status, message }));
  } finally {
    signal.removeEventListener('abort', onLate);
  }
}

/** All at once. One that fails, or takes too long, is a finding of its own. */
export async function runChecks(checks: readonly Check[]): Promise<NamedFinding[]> {
  return (await Promise.all(checks.map(runOne))).flat();
}
