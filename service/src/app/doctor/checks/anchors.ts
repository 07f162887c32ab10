import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { listClosedDays, parseDayAnchor } from '../../../ledger/index.ts';
import { readAnchorLines } from '../../../platform/anchor-file.ts';
import { parseAnchor } from '../../../platform/audit/chain.ts';
import { findHead, listRowsAfter } from '../../../platform/audit/store.ts';
import { settings, type Setting } from '../../../platform/configuration/settings.ts';
import { readAnchor } from '../../../platform/heartbeat/anchor.ts';
import { read, type DoctorDeps } from '../deps.ts';
import { ok, problem, warning, type Check, type Finding } from '../finding.ts';

/** The heartbeat is raised every ten seconds, and its anchor right after. */
const mostBeatsBehind = 3n;

async function has(name: string, mode: number): Promise<boolean> {
  return access(name, mode).then(
    () => true,
    () => false,
  );
}

async function isWritable(file: string): Promise<boolean> {
  const isThere = await has(file, constants.F_OK);
  return has(isThere ? file : path.dirname(file), constants.W_OK);
}

type Judge = (deps: DoctorDeps, file: string) => Promise<Finding>;

/** Each is compared with the newest entry that the file knows of: the nightly verifications compare all. */
const judgeAudit: Judge = async (deps, file) => {
  const { variable } = settings.auditAnchors;
  const last = (await readAnchorLines(file)).at(-1);
  const anchor = last === undefined ? null : parseAnchor(last);
  if (anchor === undefined) return problem(`The last line of ${variable} is not an anchor. Restore the file.`);
  const { head, row } = await read(deps, async (tx) => ({
    head: await findHead(tx),
    row: anchor === null ? undefined : (await listRowsAfter(tx, anchor.seq - 1n, 1)).at(0),
  }));
  if ((head?.seq ?? 0n) === 0n)
    return problem('The audit log has not begun. Run kelpie-admin audit begin, as on a new installation.');
  if (anchor === null) return warning(`${variable} has no anchor yet. The next act writes one.`);
  return row?.seq === anchor.seq && row.mac.toString('hex') === anchor.mac
    ? ok(`The audit log has the last anchor of ${variable}, entry ${anchor.seq}.`)
    : problem(`The audit log differs from ${variable} at entry ${anchor.seq}. Run kelpie-admin audit verify.`);
};

const judgeLedger: Judge = async (deps, file) => {
  const { variable } = settings.ledgerAnchors;
  const last = (await readAnchorLines(file)).at(-1);
  const anchor = last === undefined ? null : parseDayAnchor(last);
  const days = await read(deps, listClosedDays);
  if (anchor === undefined) return problem(`The last line of ${variable} is not an anchor. Restore the file.`);
  if (anchor === null)
    return days.length === 0
      ? ok('No day of the ledger is closed yet.')
      : problem(`${variable} is empty, but days of the ledger are closed. Mount the storage that has it.`);
  return days.some(({ day, mac }) => day === anchor.day && mac === anchor.mac)
    ? ok(`The ledger has the last anchor of ${variable}, ${anchor.day}.`)
    : problem(`The ledger differs from ${variable} at ${anchor.day}. Run kelpie-admin ledger verify.`);
};

const judgeHeartbeat: Judge = async (deps, file) => {
  const { variable } = settings.heartbeatAnchor;
  const anchor = await readAnchor(file);
  const { rows } = await read(deps, async (tx) => tx.query<{ number: string }>('select number from kelpie.heartbeat'));
  const number = BigInt(rows[0]?.number ?? '0');
  if (anchor.kind === 'missing' && number === 0n) return ok('The first worker creates the heartbeat anchor.');
  if (anchor.kind !== 'read')
    return problem(
      `${variable} cannot be read. Mount the storage that has it, or follow the runbook “Restore the database”.`,
    );
  if (anchor.number > number)
    return problem(
      'The database is older than its heartbeat anchor: it was restored. Follow the runbook “Restore the database”.',
    );
  return number - anchor.number > mostBeatsBehind
    ? problem(
        `${variable} is ${number - anchor.number} beats behind the database. Use the same file for every api and worker.`,
      )
    : ok('The heartbeat anchor has the number of the database.');
};

async function judgeFile(deps: DoctorDeps, setting: Setting<string | null>, judge: Judge): Promise<Finding> {
  const file = deps.given.find(setting);
  if (file === null) return warning(`Not checked: ${setting.variable} is not set.`);
  return (await isWritable(file))
    ? judge(deps, file)
    : problem(`${setting.variable} cannot be written. Mount its storage, and check who may write there.`);
}

/** The files outside the database that show whether it was changed or restored. */
export function checkAnchors(deps: DoctorDeps): Check {
  return {
    name: 'anchors',
    run: async () =>
      Promise.all([
        judgeFile(deps, settings.auditAnchors, judgeAudit),
        judgeFile(deps, settings.ledgerAnchors, judgeLedger),
        judgeFile(deps, settings.heartbeatAnchor, judgeHeartbeat),
      ]),
  };
}
