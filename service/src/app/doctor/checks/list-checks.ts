import { checkAnchors } from './anchors.ts';
import { checkArchive, checkBackups } from './backups.ts';
import { checkBanks, createBankProbes } from './banks.ts';
import { checkBlocks } from './blocks.ts';
import { checkClock } from './clock.ts';
import { checkConfiguration } from './configuration.ts';
import { checkDashboard } from './dashboard.ts';
import { checkDisks } from './disk.ts';
import { checkHeartbeat } from './heartbeat.ts';
import { checkKeys } from './keys.ts';
import { checkDatabaseTls, checkRoles, createLogins } from './logins.ts';
import { checkMail } from './mail.ts';
import { checkMigrations } from './migrations.ts';
import { checkPartitions } from './partitions.ts';
import { checkProcesses } from './processes.ts';
import { checkReplication } from './replication.ts';
import { checkSchedules } from './schedules.ts';
import type { DoctorDeps } from '../deps.ts';
import type { Check } from '../finding.ts';

/** Every check, in the order in which they are printed. */
export function listChecks(deps: DoctorDeps): Check[] {
  const probes = createBankProbes(deps);
  const logins = createLogins(deps);
  return [
    checkConfiguration(deps),
    checkRoles(logins),
    checkDatabaseTls(deps, logins),
    checkMigrations(deps),
    checkPartitions(deps),
    checkReplication(deps),
    checkArchive(deps),
    checkBackups(deps),
    checkProcesses(deps),
    checkHeartbeat(deps),
    checkSchedules(deps),
    checkKeys(deps),
    checkAnchors(deps),
    checkBanks(probes),
    checkMail(deps),
    checkClock(deps, probes),
    checkBlocks(deps),
    checkDashboard(deps),
    checkDisks(deps),
  ];
}
