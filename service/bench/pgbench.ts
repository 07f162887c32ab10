import { execFile } from 'node:child_process';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { planOnce } from '../src/platform/database/pool.ts';
import { createCompletions } from './completions.ts';
import type { Running } from './slice.ts';

const run = promisify(execFile);

/** A statement that is a whole transaction, as pgbench sends it. */
export interface BareScript {
  /** pgbench's own commands, which draw the numbers that the statement is made with. */
  draws: readonly string[];
  /** One statement. `:name` is a number that was drawn, or one of the values; both are sent as parameters. */
  statement: string;
  values: ReadonlyMap<string, string>;
}

interface BareRun {
  script: BareScript;
  clients: number;
}

export type Pgbench = (bareRun: BareRun) => Running;

/** client, number, microseconds, script, and when it was done in seconds and microseconds. */
function readLog(folder: string, prefix: string) {
  const completions = createCompletions();
  for (const file of readdirSync(folder).filter((name) => name.startsWith(prefix))) {
    for (const line of readFileSync(path.join(folder, file), 'utf8').split('\n')) {
      if (line === '') continue;
      const [, , took, , seconds, microseconds] = line.split(' ').map(Number);
      completions.add((seconds ?? 0) * 1000 + (microseconds ?? 0) / 1000, (took ?? 0) / 1000);
    }
    rmSync(path.join(folder, file));
  }
  return completions;
}

interface PgbenchOptions {
  programs: string;
  /** As whom it connects, and where. */
  url: string;
  superuserUrl: string;
  /** For its scripts and logs. */
  folder: string;
}

/** Far longer than any slice: it is told to end before that. */
const mostSeconds = 600;

function argumentsFor(url: string, { script, clients }: BareRun, files: { script: string; log: string }): string[] {
  const { hostname, port, username, pathname } = new URL(url);
  const options = {
    protocol: 'prepared',
    file: files.script,
    client: clients,
    jobs: 1,
    time: mostSeconds,
    'log-prefix': files.log,
    host: hostname,
    port,
    username,
  };
  return [
    '--no-vacuum',
    '--log',
    ...Object.entries(options).map(([option, value]) => `--${option}=${value}`),
    ...[...script.values].map(([variable, value]) => `--define=${variable}=${value}`),
    pathname.slice(1),
  ];
}

/** Until each client has sent its statement once: so many connections take a while to open. */
async function haveBegun(superuserUrl: string, clients: number, ended: () => boolean): Promise<void> {
  await asAdmin(superuserUrl, async (admin) =>
    eventually('every client of pgbench has begun', async () => {
      const { rows } = await admin.query<{ begun: string }>(
        `select count(*) as begun from pg_stat_activity
         where datname = current_database() and application_name = 'pgbench' and query ilike 'select%'`,
      );
      return ended() || Number(rows[0]?.begun) >= clients;
    }),
  );
}

/** PostgreSQL without the api: the same statements from a program that does nothing else. */
export function createPgbench({ programs, url, superuserUrl, folder }: PgbenchOptions): Pgbench {
  let runs = 0;
  return (bareRun) => {
    runs += 1;
    const { draws, statement } = bareRun.script;
    const name = `run-${runs}`;
    const files = { script: path.join(folder, `${name}.sql`), log: path.join(folder, `${name}.log`) };
    writeFileSync(files.script, [...draws.map((draw) => `\\${draw}`), `${statement};\n`].join('\n'));
    // Whatever the service asks of a connection, its rival has too.
    const env = { ...process.env, PGOPTIONS: planOnce, PGPASSWORD: decodeURIComponent(new URL(url).password) };
    const running = run(`${programs}/pgbench`, argumentsFor(url, bareRun, files), { env });
    // Whoever started it hears of a failure when they ask how it went, and not before.
    running.catch(() => undefined);
    return {
      begun: async () => haveBegun(superuserUrl, bareRun.clients, () => running.child.exitCode !== null),
      async finish(window) {
        // As if its time were up: it lets each client finish, and writes down all that was done.
        running.child.kill('SIGALRM');
        await running;
        return readLog(folder, `${name}.log`).count(window);
      },
    };
  };
}
