import { statSync } from 'node:fs';
import { secretFileVariables } from '../../../platform/configuration/secret-files.ts';
import { settings } from '../../../platform/configuration/settings.ts';
import type { DoctorDeps } from '../deps.ts';
import { ok, problem, warning, type Check, type Finding } from '../finding.ts';

const readableByAll = 0o004;

/** A file that can't be read is reported with the settings. */
function isOpenToAll(file: string): boolean {
  try {
    return (statSync(file).mode & readableByAll) !== 0;
  } catch {
    return false;
  }
}

/** Each rule of the settings, also those that another process would read. */
export function checkConfiguration({ env, given }: DoctorDeps): Check {
  return {
    name: 'configuration',
    async run() {
      const { isDevelopment, problems, unsafe } = given;
      const openFiles = secretFileVariables.filter((variable) => isOpenToAll(env[variable] ?? ''));
      const findings: Finding[] = [
        ...problems.map(problem),
        ...(isDevelopment ? [] : unsafe.map(problem)),
        ...openFiles.map((variable) =>
          problem(`Every user of this machine can read the file of ${variable}. Run chmod o-r on it.`),
        ),
        ...(isDevelopment
          ? [warning(`${settings.mode.variable} is development. Settings that production refuses: ${unsafe.length}.`)]
          : []),
      ];
      return findings.length === 0 ? [ok('Every setting is valid and safe.')] : findings;
    },
  };
}
