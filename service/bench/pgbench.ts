import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { diesWithItsParent } from '@kelpie/dev/child-process.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { createCompletions, requireSome } from './completions.ts';
import type { Running } from './slice.ts';

/** A statement that is a whole transaction, as pgbench sends it. */
export interface BareScript {
  /** pgbench's own commands, which draw the numbers that the statement is made with. */
  draws: readonly string[];
  /** One statement. `:name` is a number that was drawn, or one of the values; both are sent as parameters. */
  statement: string;
  values: ReadonlyMap<string, string>;
  makesPayouts: boolean;
  /** How many each transaction makes, where that is not one. They are counted one by one. */
  payoutsPerCall?: number;
}

/** pgbench with one script. Between slices it is paused, so that its connections stay as warm as those of the api. */
export interface BareLoad {
  start(): Running;
  /** Says how many transactions it made in all, or payouts where each makes several. */
  end(): Promise<number>;
  /** However far it is, and where nobody wants to know. */
  kill(): void;
}

/** PostgreSQL without the api: the same statements, from a program that does nothing else. */
export interface Pgbench {
  load(script: BareScript, clients: number): BareLoad;
  /** Ends all that is left, and says how many payouts were ever made. */
  end(): Promise<number>;
  kill(): void;
}

interface PgbenchOptions {
  programs: string;
  /** As whom it connects, and where. */
  serviceUrl: string;
  /** For its scripts and logs. */
  folder: string;
}

/** As the service's connections were set when the reference was frozen. */
const planOnce = '-c plan_cache_mode=force_generic_plan';

/** Longer than any run: it is told to end before that. */
const mostSeconds = 36_000;

function argumentsFor({ serviceUrl, folder }: PgbenchOptions, name: string, script: BareScript, clients: number) {
  const { hostname, port, username, pathname } = new URL(serviceUrl);
  const file = path.join(folder, `${name}.sql`);
  writeFileSync(file, [...script.draws.map((draw) => `\\${draw}`), `${script.statement};\n`].join('\n'));
  const options = {
    protocol: 'prepared',
    file,
    client: clients,
    jobs: 1,
    time: mostSeconds,
    'log-prefix': path.join(folder, name),
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

function startPgbench(options: PgbenchOptions, name: string, script: BareScript, clients: number): ChildProcess {
  const program = `${options.programs}/pgbench`;
  const [command = '', ...args] = [...diesWithItsParent, program, ...argumentsFor(options, name, script, clients)];
  const env = {
    ...process.env,
    PGOPTIONS: planOnce,
    PGPASSWORD: decodeURIComponent(new URL(options.serviceUrl).password),
  };
  return spawn(command, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** PostgreSQL plans a statement anew the first five times that a connection sends it; the api's are long past that. */
const transactionsAtFirst = 6;

/** Follows the log that pgbench writes in blocks: client, number, microseconds, script, and when it was done. */
function followLog(file: string) {
  const completions = createCompletions();
  let read = 0;
  let newestMs = 0;
  return {
    completions,
    newestMs: (): number => newestMs,
    readOn(): void {
      if (!existsSync(file)) return;
      const bytes = readFileSync(file);
      const whole = bytes.lastIndexOf('\n') + 1;
      for (const line of bytes.subarray(read, whole).toString('latin1').split('\n')) {
        if (line === '') continue;
        const [, , took = 0, , seconds = 0, microseconds = 0] = line.split(' ').map(Number);
        newestMs = seconds * 1000 + microseconds / 1000;
        completions.add(newestMs, took / 1000);
      }
      read = whole;
    },
  };
}

function createLoad(options: PgbenchOptions, name: string, script: BareScript, clients: number): BareLoad {
  const { payoutsPerCall = 1 } = script;
  const child = startPgbench(options, name, script, clients);
  const log = followLog(path.join(options.folder, `${name}.${child.pid}`));
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
  });
  const readUntil = async (isEnough: () => boolean): Promise<void> => {
    await eventually('pgbench has written down what it did', async () => {
      if (hasEnded()) throw new Error('pgbench has ended');
      log.readOn();
      return isEnough();
    });
  };
  return {
    start() {
      child.kill('SIGCONT');
      return {
        begun: async () => readUntil(() => log.completions.total() >= clients * transactionsAtFirst),
        async finish(window) {
          await readUntil(() => log.newestMs() > window.toMs);
          child.kill('SIGSTOP');
          const counted = requireSome(log.completions.count(window));
          return { ...counted, inWindow: counted.inWindow * payoutsPerCall };
        },
      };
    },
    async end() {
      child.kill('SIGCONT');
      // As if its time were up: it lets each client finish, and writes down all that was done.
      child.kill('SIGALRM');
      if ((await exited) !== 0) throw new Error('pgbench failed');
      log.readOn();
      return log.completions.total() * payoutsPerCall;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

export function createPgbench(options: PgbenchOptions): Pgbench {
  const loads: { load: BareLoad; makesPayouts: boolean }[] = [];
  return {
    load(script, clients) {
      const started = createLoad(options, `bare-${loads.length + 1}`, script, clients);
      let total: Promise<number> | undefined;
      const load = { ...started, end: async () => (total ??= started.end()) };
      loads.push({ load, makesPayouts: script.makesPayouts });
      return load;
    },
    async end() {
      let payouts = 0;
      for (const { load, makesPayouts } of loads) {
        const made = await load.end();
        if (makesPayouts) payouts += made;
      }
      return payouts;
    },
    kill() {
      for (const { load } of loads) load.kill();
    },
  };
}
