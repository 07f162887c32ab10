import { Option, type Command } from 'commander';
import { settings } from '../../platform/configuration/settings.ts';
import { migrate as applyMigrations } from '../../platform/database/migrate.ts';
import { planMigrations, type MigrationPlan, type PlannedLock } from '../../platform/database/plan-migrations.ts';
import { migrateEverything } from '../wiring/migrate.ts';
import { clockFor } from '../wiring/process.ts';
import { chosenSettings, commandLogger, readCommand, type ReadOptions } from './run-command.ts';
import { counted, print } from './printing.ts';
import { addHelp } from './help.ts';

interface MigrateCommandOptions extends ReadOptions {
  plan: boolean;
  afterDeploy: boolean;
}

function describeLock({ table, lock, blocks, rows, isBrief }: PlannedLock): string {
  if (table === null) return '    lock unknown: check the statement';
  const size = rows === null ? '' : ` (about ${rows.toLocaleString('en-GB')} rows)`;
  const brief = isBrief ? ' for a moment, after a wait of at most 300 ms' : '';
  return `    ${table}${size}: ${lock}, blocks ${blocks}${brief}`;
}

function describePlan({ migrations, functions }: MigrationPlan): string {
  if (migrations.length === 0 && functions.length === 0) return 'The database is up to date.\n';
  const described = migrations.map(({ name, runs, isOneTransaction, isUnfinished, statements }) => {
    const how = isOneTransaction ? 'one transaction' : 'outside a transaction';
    const heading = `${name}: ${runs}, ${how}${isUnfinished ? ', interrupted and to be continued' : ''}`;
    const lines = statements.flatMap(({ sql, locks }) => [
      `  ${sql}`,
      ...(locks.length === 0 ? ['    locks no existing table'] : locks.map(describeLock)),
    ]);
    return [heading, ...lines].join('\n');
  });
  const replaced =
    functions.length === 0
      ? []
      : [`${counted(functions.length, 'function')}: before deploy, one transaction, locks no table`];
  return `${[...described, ...replaced].join('\n')}\n`;
}

async function plan({ json }: ReadOptions): Promise<void> {
  const { ownerUrl } = chosenSettings((get) => ({ ownerUrl: get(settings.ownerDatabaseUrl) }));
  const planned = await planMigrations({ url: ownerUrl });
  print({ json }, planned, describePlan(planned));
}

async function migrate({ json, afterDeploy }: MigrateCommandOptions): Promise<void> {
  const { ownerUrl, logLevel, testClockFile } = chosenSettings((get) => ({
    ownerUrl: get(settings.ownerDatabaseUrl),
    logLevel: get(settings.logLevel),
    testClockFile: get(settings.testClockFile),
  }));
  const options = { ownerUrl, now: clockFor(testClockFile).now(), logger: commandLogger(logLevel) };
  const { applied, waiting } = afterDeploy
    ? await applyMigrations({ ...options, runs: 'after deploy' })
    : await migrateEverything(options);
  const done = applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`;
  const left = `After the deploy, run kelpie-admin migrate --after-deploy for ${waiting.join(', ')}.`;
  print({ json }, { applied, waiting }, waiting.length === 0 ? `${done}\n` : `${done}\n${left}\n`);
}

export function addMigrateCommand(kelpie: Command): void {
  const command = readCommand(kelpie.command('migrate'))
    .description(
      'Migrate the database to this version. Run it before each deploy. Safe to repeat, also after it was killed, and to run while the service is running. It connects as the database owner and is not in the audit log.',
    )
    .option('--plan', 'print pending migrations with the locks they take, and change nothing', false)
    .addOption(
      new Option(
        '--after-deploy',
        'run the migrations that remove what the previous version needs, once no process runs it any more',
      )
        .default(false)
        .conflicts('plan'),
    )
    .action(async (options: MigrateCommandOptions) => (options.plan ? plan(options) : migrate(options)));
  addHelp(command, {
    example: 'kelpie-admin migrate --plan',
    prints:
      'The migrations that were applied, and those that wait for the deploy. With --plan, each pending migration: when it runs, its statements, and the lock each one takes on which table and what it blocks.',
  });
}
