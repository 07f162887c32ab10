import { BackupFault } from '../../../platform/backup/backup-fault.ts';
import { findNewestBackup } from '../../../platform/backup/pgbackrest.ts';
import { findOwner } from '../../../platform/backup/run-program.ts';
import { OperatorError } from '../../../platform/operator-error.ts';
import { duration } from '../../../platform/duration.ts';
import { read, unsafe, type DoctorDeps } from '../deps.ts';
import { NotChecked, ok, problem, type Check, type Finding } from '../finding.ts';

interface ArchiverRow {
  is_on: boolean;
  last_archived: Date | null;
  is_failing: boolean;
  seconds: number | null;
}

const archiverSql = `select current_setting('archive_mode') <> 'off' as is_on, last_archived_time as last_archived,
    coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as is_failing,
    extract(epoch from now() - last_archived_time)::float8 as seconds
  from pg_stat_archiver`;

export function checkArchive(deps: DoctorDeps): Check {
  return {
    name: 'WAL archive',
    async run() {
      const { rows } = await read(deps, async (tx) => tx.query<ArchiverRow>(archiverSql));
      const [archiver] = rows;
      if (archiver?.is_on !== true)
        return [
          unsafe(deps, 'The database archives no WAL, so a restore loses a day. Set archive_mode (docs/backups.md).'),
        ];
      if (archiver.is_failing)
        return [
          problem("WAL cannot be archived since the last attempt. Read PostgreSQL's log and run pgbackrest check."),
        ];
      return archiver.seconds === null
        ? [problem('No WAL was ever archived. Run pgbackrest check.')]
        : [ok(`The last WAL segment was archived ${duration(archiver.seconds)} ago.`)];
    },
  };
}

async function judgeBackup({ options, clock }: DoctorDeps, signal: AbortSignal): Promise<Finding> {
  const { configFile, stanza, maxBackupAgeHours } = options;
  const backup = await findNewestBackup({ configFile, stanza, owner: await findOwner() }, signal);
  const seconds = Math.max(0, (clock.now().getTime() - backup.finishedAt.getTime()) / 1_000);
  if (backup.hasErrors)
    return problem(`Page checksums failed in backup ${backup.label}. Follow the runbook “Backup drill failed”.`);
  return seconds > maxBackupAgeHours * 3_600
    ? problem(`The newest backup is ${duration(seconds)} old. Check the timer that takes backups, and take one.`)
    : ok(`The newest backup is ${duration(seconds)} old.`);
}

export function checkBackups(deps: DoctorDeps): Check {
  return {
    name: 'backup',
    async run(signal) {
      try {
        return [await judgeBackup(deps, signal)];
      } catch (error) {
        if (error instanceof BackupFault) return [problem(error.message)];
        if (error instanceof OperatorError)
          throw new NotChecked(`${error.message} Run it on a machine that has the backups.`);
        throw error;
      }
    },
  };
}
