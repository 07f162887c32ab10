import { readFile } from 'node:fs/promises';
import { InvalidArgumentError, type Command } from 'commander';
import { beginAudit } from '../../platform/audit/begin-audit.ts';
import { createAuditChain, type Anchor, type AuditRow } from '../../platform/audit/chain.ts';
import { listNewestRows } from '../../platform/audit/store.ts';
import { verifyAudit, type AuditVerification } from '../../platform/audit/verify-audit.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { settings } from '../../platform/configuration/settings.ts';
import { exitCodes } from './failure.ts';
import {
  writeCommand,
  runAudited,
  chosenSettings,
  createSay,
  doneAs,
  limited,
  look,
  readCommand,
  withOperator,
  sayDone,
  withReason,
  type ReadOptions,
  type WithReason,
} from './run-command.ts';
import { counted, print, shortInstant, table } from './printing.ts';
import { addHelp, addGroupHelp } from './help.ts';

function parseAnchor(text: string): Anchor | undefined {
  const [, seq, mac] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  return seq === undefined || mac === undefined ? undefined : { seq: BigInt(seq), mac };
}

function anchorFrom(text: string): Anchor {
  const anchor = parseAnchor(text);
  if (anchor === undefined)
    throw new InvalidArgumentError('It is a row’s number, a colon and 64 hexadecimal digits, as an act printed it.');
  return anchor;
}

/** What acts have kept there. A file that is not there yet has nothing to say; a line that can't be read is not passed over. */
async function readAnchors(file: string | null): Promise<Anchor[]> {
  if (file === null) return [];
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return '';
    throw new OperatorError(`${file} (KELPIE_AUDIT_ANCHORS) can not be read.`);
  });
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line, at) => {
    const anchor = parseAnchor(line);
    if (anchor === undefined)
      throw new OperatorError(`Line ${at + 1} of ${file} (KELPIE_AUDIT_ANCHORS) is not a row’s number and digest.`);
    return anchor;
  });
}

function describeVerification({ rows, head, anchors, differences }: AuditVerification): string {
  const kept = anchors === 0 ? '' : ` ${counted(anchors, 'row')} that ${anchors === 1 ? 'was' : 'were'} kept elsewhere`;
  const read = `Read ${counted(rows, 'row')}${kept === '' ? '' : `, and looked for${kept}`}`;
  const ending = head === null ? null : `${head.seq}:${head.mac}`;
  if (differences.length > 0) {
    const end = ending === null ? '' : `It ends with ${ending}\n`;
    return `${read}: ${counted(differences.length, 'difference')}.\n${differences.map((one) => `  ${one}\n`).join('')}${end}`;
  }
  const end = ending === null ? '' : `Its end, worth keeping elsewhere: ${ending}\n`;
  return `${read}: all are as they were written.\n${end}`;
}

async function verify({ json, anchor }: ReadOptions & { anchor?: Anchor }): Promise<void> {
  const { key, file } = chosenSettings((get) => ({ key: get(settings.auditKey), file: get(settings.auditAnchors) }));
  const anchors = [...(await readAnchors(file)), ...(anchor === undefined ? [] : [anchor])];
  const say = createSay({ json });
  const onProgress = (rows: number): void => {
    if (rows > 0 && rows % 50_000 === 0) say(`Read ${rows} rows so far`);
  };
  const verification = await look(async (tx) => verifyAudit(tx, createAuditChain(key), { anchors, onProgress }));
  print({ json }, verification, describeVerification(verification));
  process.exitCode = verification.differences.length === 0 ? exitCodes.done : exitCodes.found;
}

function addVerify(audit: Command): void {
  const command = readCommand(audit.command('verify'))
    .description(
      'Read the whole log of the operators, and find any row that was changed, removed or moved, and a tail that was cut off. Needs the key; exit code 1 where there is one.',
    )
    .option('--anchor <row:digest>', 'what an act printed and was kept elsewhere: it must still be there', anchorFrom)
    .action(verify);
  addHelp(command, {
    when: 'Every night, beside `ledger verify`. With KELPIE_AUDIT_ANCHORS, or --anchor, it also finds a log that was put back to what it was before, end and all.',
    examples: ['kelpie-admin audit verify', 'kelpie-admin audit verify --anchor 6:075c09cb5145b77c…'],
    prints: 'how many rows were read, each thing that is not as it was written, and where the log ends.',
  });
}

interface BeginOptions extends WithReason {
  after?: Anchor;
}

/** Before the first row nothing can have been kept elsewhere; and with another key, the log would have two. */
async function refuseWrongBeginning(after: Anchor | undefined): Promise<void> {
  const { key, file } = chosenSettings((get) => ({ key: get(settings.auditKey), file: get(settings.auditAnchors) }));
  if (after === undefined) {
    const [kept] = await readAnchors(file);
    if (kept === undefined) return;
    throw new OperatorError(
      `The log is not new: ${file} (KELPIE_AUDIT_ANCHORS) has its row ${kept.seq}. \`kelpie-admin audit verify\` tells what is missing.`,
      'audit_broken',
    );
  }
  const { isAnotherKey } = await look(async (tx) => verifyAudit(tx, createAuditChain(key)));
  if (isAnotherKey)
    throw new OperatorError('No row of the log was written with this KELPIE_AUDIT_KEY: it is another key.');
}

async function begin(options: BeginOptions): Promise<void> {
  const { json, dryRun, reason, after } = options;
  const written = await withOperator(options, 'operator', async (deps) => {
    await refuseWrongBeginning(after);
    const { operator } = deps;
    return runAudited(deps, options, async (tx) =>
      deps.recordBy(async (audit) => beginAudit(tx, audit, { operator, reason, after: after ?? null })),
    );
  });
  const sentence =
    after === undefined
      ? 'The log of the operators is begun.'
      : `The log goes on after row ${after.seq}. \`kelpie-admin audit verify\` finds that from now on, each time.`;
  print({ json }, { ...doneAs(dryRun, written) }, sayDone(sentence, dryRun, written));
}

function addBegin(audit: Command): void {
  const command = withReason(writeCommand(audit.command('begin')))
    .summary('Write the first row of the log: once, on a new installation.')
    .description(
      'Write the first row of the log of the operators: once, on a new installation. Nothing can be done before. With --after, take up a log again that ends with a row which somebody wrote without the key; what is wrong with it stays there, and is found each time.',
    )
    .option('--after <row:digest>', 'what the log ends with, as `kelpie-admin audit verify` says', anchorFrom)
    .action(begin);
  addHelp(command, {
    when: 'The database is new; or `kelpie-admin audit verify` found a bad end, you know how it came about (docs/operating.md), and operators have to act again.',
    examples: [
      'kelpie-admin audit begin --reason "a new installation" --operator ada@kelpie.example',
      'kelpie-admin audit begin --after 9:5b1c7d11… --reason "junk row, see the ticket" --operator ada@kelpie.example',
    ],
    prints: 'where that row stands. Keep it elsewhere.',
  });
}

/** What is in a row but for the digests that only the chain needs. */
function shown({ seq, at, operator, action, subject, detail, mac }: AuditRow) {
  const parsed: unknown = JSON.parse(detail);
  return { seq, at, operator, action, subject, detail: parsed, mac };
}

function addList(audit: Command): void {
  const list = limited(readCommand(audit.command('list')))
    .description('What operators did, the newest first: when, who, what, to what, and why.')
    .option('--subject <id>', 'only what was done to this: the id of a partner, a payout, a job')
    .option('--by <name>', 'only what this operator did')
    .action(async ({ json, subject, by, limit }: ReadOptions & { subject?: string; by?: string; limit: number }) => {
      const filter = { subject: subject ?? null, operator: by ?? null, atMost: limit };
      const rows = await look(async (tx) => listNewestRows(tx, filter));
      const names = ['ROW', 'WHEN', 'WHO', 'WHAT', 'TO WHAT', 'DETAIL'];
      const cells = rows.map((row) => [
        row.seq.toString(),
        shortInstant(row.at),
        row.operator,
        row.action,
        row.subject,
        row.detail,
      ]);
      print({ json }, rows.map(shown), table(names, cells, 'Nobody has done anything yet.'));
    });
  addHelp(list, {
    when: 'You wonder who suspended a partner, and why.',
    examples: ['kelpie-admin audit list', 'kelpie-admin audit list --subject 01a1dfa5-4acf-7494-a215-8c1f111a99b3'],
    prints: 'a line an act. Secrets, names and bank details are never in it.',
  });
}

export function addAuditCommands(kelpie: Command): void {
  const audit = kelpie.command('audit').description('The log of what operators did.');
  addVerify(audit);
  addList(audit);
  addBegin(audit);
  addGroupHelp(audit, {
    when: 'Every act is a row, chained to the one before it under a key that the database does not have.',
    examples: ['kelpie-admin audit list --limit 10', 'kelpie-admin audit verify'],
  });
}
