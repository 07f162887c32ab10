import { read, type DoctorDeps } from '../deps.ts';
import { ok, problem, warning, type Check, type Finding } from '../finding.ts';

interface ConnectedRow {
  process: 'api' | 'worker';
  login: string;
}

const sql = `select distinct substring(application_name from '^kelpie-(api|worker)') as process, usename::text as login
  from pg_stat_activity
  where datname = current_database() and application_name ~ '^kelpie-(api|worker)'`;

const ownRoles = new Set(['kelpie_service', 'kelpie_reader']);

/** Which processes the database sees, and as which role: an owner's address has no place in them. */
export function checkProcesses(deps: DoctorDeps): Check {
  return {
    name: 'processes',
    async run() {
      const { rows } = await read(deps, async (tx) => tx.query<ConnectedRow>(sql));
      const wrong = rows.filter(({ login }) => !ownRoles.has(login));
      const missing = (['api', 'worker'] as const).filter((name) => rows.every(({ process }) => process !== name));
      const findings: Finding[] = [
        ...wrong.map(({ process, login }) =>
          problem(
            `A running ${process} connects as ${login}. Give it KELPIE_DATABASE_URL with the role kelpie_service.`,
          ),
        ),
        ...missing.map((name) => warning(`No ${name} is connected to the database. Start one, or read its log.`)),
      ];
      return findings.length === 0 ? [ok('An api and a worker are connected, with their own roles.')] : findings;
    },
  };
}
