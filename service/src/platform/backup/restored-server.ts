import { chown, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BackupFault } from './backup-fault.ts';
import { reasonIn } from './pgbackrest.ts';
import { startProgram, type Owner } from './run-program.ts';

interface ServerOptions {
  /** The folder of PostgreSQL's programs. */
  programs: string;
  data: string;
  /** Only its owner may enter it: the server asks for no password. */
  sockets: string;
  owner: Owner | null;
  restoreCommand: string;
  /** All that anyone can connect to. */
  database: string;
  role: string;
}

export interface RestoredServer {
  url: string;
  /** The last WAL segment that was read from the archive. */
  lastSegment: () => string | undefined;
  /** A record that PostgreSQL could not read. */
  damage: () => string | undefined;
  /** What pgBackRest could not get. */
  archiveError: () => string | undefined;
  stop(): Promise<void>;
}

function quoted(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

/**
 * The whole configuration of the copy. What the backup brought is overwritten: it may name an archive, standbys, libraries and
 * addresses of the server that was backed up.
 */
function settingsOf({ sockets, restoreCommand }: ServerOptions): string {
  const settings: readonly (readonly [string, string])[] = [
    ['listen_addresses', ''],
    ['port', '5432'],
    ['unix_socket_directories', sockets],
    ['unix_socket_permissions', '0700'],
    ['restore_command', restoreCommand],
    ['recovery_target_timeline', 'latest'],
    ['hot_standby', 'off'],
    ['archive_mode', 'off'],
    ['synchronous_standby_names', ''],
    ['max_wal_senders', '0'],
    ['max_connections', '10'],
    ['max_locks_per_transaction', '1024'],
    ['autovacuum', 'off'],
    // The copy is thrown away.
    ['fsync', 'off'],
    ['full_page_writes', 'off'],
    ['restart_after_crash', 'off'],
    ['lc_messages', 'C'],
    ['log_destination', 'stderr'],
    ['logging_collector', 'off'],
  ];
  return settings.map(([name, value]) => `${name} = ${quoted(value)}\n`).join('');
}

async function configure(options: ServerOptions): Promise<void> {
  const files = {
    'postgresql.conf': settingsOf(options),
    'postgresql.auto.conf': '',
    'pg_hba.conf': `local "${options.database}" "${options.role}" trust\n`,
    'pg_ident.conf': '',
  };
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(options.data, name);
    await writeFile(file, text, { mode: 0o600 });
    if (options.owner !== null) await chown(file, options.owner.uid, options.owner.gid);
  }
}

/** A record that can't be read: recovery takes it for the end of the WAL. */
const damaged = /LOG: {2}(.*(?:checksum in record|invalid magic number|invalid record|unexpected pageaddr).*)$/;
const fatal = /(?:FATAL|PANIC): {2}(.*)$/;
const restored = /LOG: {2}restored log file "([0-9A-F]{24})" from archive/;
const ready = /LOG: {2}database system is ready to accept connections/;

function lastMatch(lines: readonly string[], pattern: RegExp): string | undefined {
  return lines.map((line) => pattern.exec(line)?.[1]).findLast((text) => text !== undefined);
}

function failedRecovery(lines: readonly string[], lastSegment: string | undefined): BackupFault {
  const reason = reasonIn(lines) ?? lastMatch(lines, damaged) ?? lastMatch(lines, fatal) ?? 'the server ended';
  const where = lastSegment === undefined ? 'before any WAL was read' : `after WAL segment ${lastSegment}`;
  return new BackupFault(
    'recovery_failed',
    `PostgreSQL cannot recover the backup. It stopped ${where}: ${reason}. Take a new full backup, then search the archive for the missing WAL.`,
  );
}

/** Starts PostgreSQL on a restored directory, alone: on a private socket, without archive or standbys. */
export async function startRestoredServer(options: ServerOptions, signal: AbortSignal): Promise<RestoredServer> {
  signal.throwIfAborted();
  await configure(options);
  let lastSegment: string | undefined;
  const opened = Promise.withResolvers<'ready'>();
  const { data, owner, programs, sockets, database, role } = options;
  const server = startProgram({
    program: path.join(programs, 'postgres'),
    args: ['-D', data],
    owner,
    endsBy: 'SIGQUIT',
    onLine(line) {
      lastSegment = restored.exec(line)?.[1] ?? lastSegment;
      if (ready.test(line)) opened.resolve('ready');
    },
  });
  const stop = async (): Promise<void> => void (await server.stop());
  const onAbort = (): void => void stop().catch(() => undefined);
  signal.addEventListener('abort', onAbort);
  const first = await Promise.race([opened.promise, server.ended]).finally(() =>
    signal.removeEventListener('abort', onAbort),
  );
  if (first !== 'ready' || signal.aborted) {
    await server.ended;
    signal.throwIfAborted();
    throw failedRecovery(server.lines, lastSegment);
  }
  return {
    url: `postgres://${encodeURIComponent(role)}@/${encodeURIComponent(database)}?host=${encodeURIComponent(sockets)}&port=5432`,
    lastSegment: () => lastSegment,
    damage: () => lastMatch(server.lines, damaged),
    archiveError: () => reasonIn(server.lines),
    stop,
  };
}
