import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';

export interface Diagnosis {
  code: number | null;
  said: string;
  /** Each finding as "status check: message". */
  findings: string[];
  /** The checks that found a problem. */
  problems: string[];
}

/** What `kelpie-admin doctor --json` printed. */
export function readDiagnosis({
  code,
  printed,
  output,
}: {
  code: number | null;
  printed: string;
  output: string;
}): Diagnosis {
  const findings = listAt(valueAt(JSON.parse(printed), 'data'), 'findings').map((each) => ({
    status: textAt(each, 'status'),
    check: textAt(each, 'check'),
    message: textAt(each, 'message'),
  }));
  const problems = findings.filter(({ status }) => status === 'problem').map(({ check }) => check);
  return {
    code,
    said: output,
    findings: findings.map(({ status, check, message }) => `${status} ${check}: ${message}`),
    problems: [...new Set(problems)],
  };
}
