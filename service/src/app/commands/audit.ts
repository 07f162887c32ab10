import { InvalidArgumentError, type Command } from 'commander';
import { readAnchorLines } from '../../platform/anchor-file.ts';
import { beginAudit } from '../../platform/audit/begin-audit.ts';
import { createAuditChain, parseAnchor, type Anchor, type AuditRow } from '../../platform/audit/chain.ts';
import { listNewestRows } from '../../platform/audit/store.ts';
import { verifyAudit, type AuditVerification } from '../../platform/audit/verify-audit.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { settings } from '../../platform/configuration/settings.ts';
import { exitCodes } from './failure.ts';
import {
  writeCommand,
  runAudited,
  chosenSettings,
  createProgressWriter,
  doneAsJson,
  limited,
  look,
  readCommand,
  withOperator,
  describeDone,
  withReason,
  type ReadOptions,
  type WithReason,
} from './run-command.ts';
import { counted, print, shortInstant, table } from './printing.ts';
import { addHelp, addGroupHelp } from './help.ts';

function anchorFrom(text: string): Anchor {
  const anchor = parseAnchor(text);
  if (anchor === undefined)
    throw new InvalidArgumentError(
      'Use an anchor as a command printed it: a number, a colon and 64 hexadecimal digits.',
    );
  return anchor;
}

/** A missing file is an empty one. A malformed line is an error: skipping it would hide tampering. */
export async function readAnchors(file: string | null): Promise<Anchor[]> {
  if (file === null) return [];
  const lines = await readAnchorLines(file).catch(() => {
    throw new OperatorError(`${file} (KELPIE_AUDIT_ANCHORS) cannot be read. Check its permissions.`);
  });
  return lines.map((line, at) => {
    const anchor = parseAnchor(line);
    if (anchor === undefined)
      throw new OperatorError(`Line ${at + 1} of ${file} (KELPIE_AUDIT_ANCHORS) is not an anchor.`);
    return anchor;
  });
}

function describeVerification({ rows, head, anchors, differences }: AuditVerification): string {
  const checked = `Checked ${counted(rows, 'entry')}${anchors === 0 ? '' : ` against ${counted(anchors, 'anchor')}`}`;
  const end = head === null ? '' : `Last entry: ${head.seq}:${head.mac}\n`;
  if (differences.length === 0) return `${checked}: no differences.\n${end}`;
  return `${checked}: ${counted(differences.length, 'difference')}.\n${differences.map((one) => `  ${one}\n`).join('')}${end}`;
}

async function verify({ json, anchor }: ReadOptions & { anchor?: Anchor }): Promise<void> {
  const { key, file } = chosenSettings((get) => ({ key: get(settings.auditKey), file: get(settings.auditAnchors) }));
  const anchors = [...(await readAnchors(file)), ...(anchor === undefined ? [] : [anchor])];
  const report = createProgressWriter({ json });
  const onProgress = (rows: number): void => {
    if (rows > 0 && rows % 50_000 === 0) report(`Checked ${rows} entries so far`);
  };
  const verification = await look(async (tx) => verifyAudit(tx, createAuditChain(key), { anchors, onProgress }));
  print({ json }, verification, describeVerification(verification));
  process.exitCode = verification.differences.length === 0 ? exitCodes.done : exitCodes.found;
}

function addVerify(audit: Command): void {
  const command = readCommand(audit.command('verify'))
    .description(
      'Check the audit log for tampering. Finds entries that were changed, removed, moved or cut off. Run it every night. Requires KELPIE_AUDIT_KEY. With anchors (KELPIE_AUDIT_ANCHORS or --anchor) it also finds a log that was rolled back as a whole. Exit code 1 if there is a difference.',
    )
    .option('--anchor <anchor>', 'an anchor that you saved; its entry must still be in the log', anchorFrom)
    .action(verify);
  addHelp(command, {
    example: 'kelpie-admin audit verify',
    prints: 'How many entries were checked, each difference, and the anchor of the last entry.',
  });
}

interface BeginOptions extends WithReason {
  after?: Anchor;
}

/** An anchor proves that the log is not new. A second key would split the chain. */
async function refuseWrongBeginning(after: Anchor | undefined): Promise<void> {
  const { key, file } = chosenSettings((get) => ({ key: get(settings.auditKey), file: get(settings.auditAnchors) }));
  if (after === undefined) {
    const [kept] = await readAnchors(file);
    if (kept === undefined) return;
    throw new OperatorError(
      `The audit log is not new: ${file} (KELPIE_AUDIT_ANCHORS) has an anchor of entry ${kept.seq}. Run \`kelpie-admin audit verify\` to see what is missing.`,
      'audit_broken',
    );
  }
  const { isAnotherKey } = await look(async (tx) => verifyAudit(tx, createAuditChain(key)));
  if (isAnotherKey)
    throw new OperatorError(
      'No entry of the audit log was written with this KELPIE_AUDIT_KEY. Use the key that wrote it.',
    );
}

async function begin(options: BeginOptions): Promise<void> {
  const { json, dryRun, reason, after } = options;
  const written = await withOperator('operator', async (deps) => {
    await refuseWrongBeginning(after);
    const { operator } = deps;
    return runAudited(deps, options, async (tx) =>
      deps.recordBy(async (audit) => beginAudit(tx, audit, { operator, reason, after: after ?? null })),
    );
  });
  const sentence =
    after === undefined
      ? 'The audit log is started.'
      : `The audit log continues after entry ${after.seq}. \`kelpie-admin audit verify\` will always report that break.`;
  print({ json }, { ...doneAsJson(dryRun, written) }, describeDone(sentence, dryRun, written));
}

function addBegin(audit: Command): void {
  const command = withReason(writeCommand(audit.command('begin')))
    .description(
      'Start the audit log, once, on a new installation. Until then, no other command can change anything. With --after, continue a log whose last entry was not written with the key. Find out how that happened first. `audit verify` reports the break from then on.',
    )
    .option('--after <anchor>', 'the last entry of a broken log, as `kelpie-admin audit verify` prints it', anchorFrom)
    .action(begin);
  addHelp(command, {
    example: 'kelpie-admin audit begin --reason "new installation"',
    prints: 'The anchor of the first entry. Save it outside the database.',
  });
}

/** Without the digests that only the chain needs. */
function shown({ seq, at, operator, action, subject, detail, mac }: AuditRow) {
  const parsed: unknown = JSON.parse(detail);
  return { seq, at, operator, action, subject, detail: parsed, mac };
}

function addList(audit: Command): void {
  const list = limited(readCommand(audit.command('list')))
    .description('List what operators did, newest first.')
    .option('--subject <id>', 'only acts on this partner, payout, case or job')
    .option('--by <name>', 'only acts of this operator')
    .action(async ({ json, subject, by, limit }: ReadOptions & { subject?: string; by?: string; limit: number }) => {
      const filter = { subject: subject ?? null, operator: by ?? null, atMost: limit };
      const rows = await look(async (tx) => listNewestRows(tx, filter));
      const names = ['ENTRY', 'TIME', 'OPERATOR', 'ACTION', 'SUBJECT', 'DETAIL'];
      const cells = rows.map((row) => [
        row.seq.toString(),
        shortInstant(row.at),
        row.operator,
        row.action,
        row.subject,
        row.detail,
      ]);
      print({ json }, rows.map(shown), table(names, cells, 'No entries match.'));
    });
  addHelp(list, {
    example: 'kelpie-admin audit list --subject 01a1dfa5-4acf-7494-a215-8c1f111a99b3',
    prints: 'One line per act: time, operator, action, subject and reason. It never contains secrets or bank details.',
  });
}

export function addAuditCommands(kelpie: Command): void {
  const audit = kelpie.command('audit').description('Read and verify the audit log.');
  addVerify(audit);
  addList(audit);
  addBegin(audit);
  addGroupHelp(audit, {
    about:
      'Every act of an operator is an entry. Each entry is chained to the one before it with a key that the database does not have.',
    example: 'kelpie-admin audit list --limit 10',
  });
}
