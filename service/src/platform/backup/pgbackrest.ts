import { OperatorError } from '../operator-error.ts';
import { BackupFault } from './backup-fault.ts';
import { runProgram, type EndedProgram, type Owner } from './run-program.ts';

export interface Repository {
  /** Null: the file that pgBackRest reads by itself. */
  configFile: string | null;
  stanza: string;
  owner: Owner | null;
}

export interface Backup {
  label: string;
  /** full, diff or incr */
  type: string;
  finishedAt: Date;
  /** PostgreSQL's page checksums failed while it was taken. */
  hasErrors: boolean;
  databaseBytes: number;
  repositoryBytes: number;
  repositoryKey: number;
  /** The major version of PostgreSQL. */
  version: string;
  /** The newest segment in the archive; null where there is none. */
  newestWal: string | null;
}

const program = 'pgbackrest';

function optionsFor({ configFile, stanza }: Repository): string[] {
  return [
    ...(configFile === null ? [] : [`--config=${configFile}`]),
    `--stanza=${stanza}`,
    '--log-level-file=off',
    '--log-level-console=off',
    '--log-level-stderr=error',
    '--no-log-timestamp',
  ];
}

const longestReason = 300;

/** What pgBackRest says is wrong, in one line. A line that ends with a colon goes on in the next. */
export function reasonIn(lines: readonly string[]): string | undefined {
  const place = lines.findIndex((line) => /ERROR: \[\d+\]: /.test(line));
  const text = lines[place]?.replace(/^.*?ERROR: \[\d+\]: (raised from [^:]*: )*/, '');
  if (text === undefined) return undefined;
  const whole = text.endsWith(':') ? `${text} ${lines[place + 1]?.trim() ?? ''}` : text;
  return whole.slice(0, longestReason).replace(/[:. ]+$/, '');
}

function reasonOf({ code, lines }: EndedProgram): string {
  return reasonIn(lines) ?? `exit code ${code ?? 'unknown'}`;
}

function at(value: unknown, path: string): unknown {
  const keys = path.split('.');
  return keys.reduce<unknown>(
    (found, key) => (typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined),
    value,
  );
}

function listAt(value: unknown, path: string): unknown[] {
  const found = at(value, path);
  return Array.isArray(found) ? found : [];
}

function textAt(value: unknown, path: string): string {
  const found = at(value, path);
  if (typeof found !== 'string') throw new Error(`pgBackRest's information has no ${path}`);
  return found;
}

function numberAt(value: unknown, path: string): number {
  const found = at(value, path);
  if (typeof found !== 'number') throw new Error(`pgBackRest's information has no ${path}`);
  return found;
}

function backupFrom(stanza: unknown, backup: unknown): Backup {
  const databaseId = numberAt(backup, 'database.id');
  const repositoryKey = numberAt(backup, 'database.repo-key');
  const isSame = (other: unknown, prefix: string): boolean =>
    at(other, `${prefix}id`) === databaseId && at(other, `${prefix}repo-key`) === repositoryKey;
  const archive = listAt(stanza, 'archive').find((each) => isSame(each, 'database.'));
  const database = listAt(stanza, 'db').find((each) => isSame(each, ''));
  const newestWal = at(archive, 'max');
  return {
    label: textAt(backup, 'label'),
    type: textAt(backup, 'type'),
    finishedAt: new Date(numberAt(backup, 'timestamp.stop') * 1_000),
    hasErrors: at(backup, 'error') === true,
    databaseBytes: numberAt(backup, 'info.size'),
    repositoryBytes: numberAt(backup, 'info.repository.size'),
    repositoryKey,
    version: textAt(database, 'version'),
    newestWal: typeof newestWal === 'string' ? newestWal : null,
  };
}

/** The stanza's own status says no more than "other" where a repository's says why. */
function statusOf(stanza: unknown): string {
  const [repository] = listAt(stanza, 'repo');
  const message = at(repository, 'status.message') ?? at(stanza, 'status.message');
  return typeof message === 'string'
    ? (reasonIn([`ERROR: [0]: ${message.replaceAll(/\s+/g, ' ')}`]) ?? message)
    : 'no answer';
}

const noValidBackups = 2;

/** The newest backup in what `pgbackrest info --output=json` prints for one stanza. */
export function newestBackupIn(json: string, stanza: string): Backup {
  const stanzas: unknown = JSON.parse(json);
  const [found] = listAt({ stanzas }, 'stanzas');
  const backups = listAt(found, 'backup').map((each) => backupFrom(found, each));
  const [newest] = backups.toSorted((one, other) => other.finishedAt.getTime() - one.finishedAt.getTime());
  const status = at(found, 'status.code');
  if (newest !== undefined && status === 0) return newest;
  if (status === noValidBackups)
    throw new BackupFault(
      'no_backup',
      `The repository has no valid backup of ${stanza}. Take one with \`pgbackrest --stanza=${stanza} --type=full backup\`.`,
    );
  throw new BackupFault(
    'repository_unavailable',
    `The repository of ${stanza} cannot be read (${statusOf(found)}). Check its path and storage in pgBackRest’s configuration file.`,
  );
}

export async function findNewestBackup(repository: Repository, signal: AbortSignal): Promise<Backup> {
  const args = [...optionsFor(repository), '--output=json', 'info'];
  const ended = await runProgram({ program, args, owner: repository.owner, endsBy: 'SIGTERM' }, signal);
  if (ended.code !== 0)
    throw new OperatorError(`pgBackRest cannot list the backups: ${reasonOf(ended)}. Check its configuration file.`);
  return newestBackupIn(ended.printed, repository.stanza);
}

interface RestoreTo {
  data: string;
  tablespaces: string;
  /** Not the one of the server that is backed up, whose archiving must not wait for us. */
  locks: string;
}

/** pgBackRest checks each file against its checksum. */
export async function restoreBackup(
  repository: Repository,
  { label, repositoryKey }: Pick<Backup, 'label' | 'repositoryKey'>,
  { data, tablespaces, locks }: RestoreTo,
  signal: AbortSignal,
): Promise<void> {
  const args = [
    ...optionsFor(repository),
    `--repo=${repositoryKey}`,
    `--set=${label}`,
    '--type=default',
    '--archive-mode=off',
    '--no-delta',
    '--reset-pg1-host',
    `--pg1-path=${data}`,
    // Otherwise it would write into the tablespaces of the server that was backed up.
    `--tablespace-map-all=${tablespaces}`,
    `--lock-path=${locks}`,
    'restore',
  ];
  const ended = await runProgram({ program, args, owner: repository.owner, endsBy: 'SIGTERM' }, signal);
  if (ended.code === 0) return;
  throw new BackupFault(
    'restore_failed',
    `Backup ${label} cannot be restored: ${reasonOf(ended)}. Take a new full backup, then check the repository’s storage.`,
  );
}

function inShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** PostgreSQL replaces %f and %p, and reads %% as one percent sign. */
export function restoreCommand(repository: Repository, { data, locks }: Pick<RestoreTo, 'data' | 'locks'>): string {
  const args = [
    ...optionsFor(repository),
    '--no-archive-async',
    '--reset-pg1-host',
    `--pg1-path=${data}`,
    `--lock-path=${locks}`,
    'archive-get',
  ];
  const words = args.map((each) => inShell(each).replaceAll('%', '%%'));
  return [program, ...words, '%f', '"%p"'].join(' ');
}
