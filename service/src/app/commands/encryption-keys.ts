// The keys that encrypt what is stored: what is under which, and re-encryption under the newest.
import type { Command } from 'commander';
import { rotateColumn, type Rotated } from '../encryption-keys/rotate-data-key.ts';
import {
  countKeysByPepper,
  countValues,
  findNewestRecipient,
  listColumns,
  listPartnerIds,
  type KeyCount,
} from '../encryption-keys/store.ts';
import { signAnew, type SignedAnew } from '../../access/index.ts';
import { changeIndexes, openRecipient, type ChangedIndexes } from '../../payouts/index.ts';
import type { WrittenAct } from '../../platform/audit/write-act.ts';
import { settings } from '../../platform/configuration/settings.ts';
import { createEncryptor, type DataKeys, type Encryptor } from '../../platform/encryption.ts';
import { createVersionedDigest } from '../../platform/keyed-digest.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { addGroupHelp, addHelp } from './help.ts';
import { counted, print, table } from './printing.ts';
import {
  chosenSettings,
  createProgressWriter,
  describeDone,
  doneAsJson,
  look,
  readCommand,
  runAudited,
  withOperator,
  withReason,
  writeCommand,
  type OperatorDeps,
  type ReadOptions,
  type WithReason,
} from './run-command.ts';

const { dataKeys: dataKeysSetting } = settings;

function openDataKeys(): { dataKeys: DataKeys; encryptor: Encryptor } {
  const dataKeys = chosenSettings((get) => get(dataKeysSetting));
  return { dataKeys, encryptor: createEncryptor(dataKeys) };
}

async function readCounts(): Promise<KeyCount[]> {
  return look(async (tx) => countValues(tx), 'unhurried');
}

const total = (counts: readonly KeyCount[]): number => counts.reduce((sum, { values }) => sum + values, 0);

function stateOf(version: number, { dataKeys, encryptor }: ReturnType<typeof openDataKeys>): string {
  if (version === encryptor.version) return 'encrypts';
  return dataKeys.has(version) ? 'decrypts' : 'missing';
}

async function showStatus(options: ReadOptions): Promise<void> {
  const keys = openDataKeys();
  const counts = await readCounts();
  const shown = counts.map(({ table: name, column, version, values }) => {
    const state = stateOf(version, keys);
    return { table: name, column, version, state, values };
  });
  const missing = shown.filter(({ state }) => state === 'missing');
  const rows = shown.map((one) => [one.table, one.column, String(one.version), one.state, String(one.values)]);
  const text = table(['TABLE', 'COLUMN', 'KEY', 'STATE', 'VALUES'], rows, 'Nothing is encrypted yet.');
  const old = total(shown.filter(({ version }) => version !== keys.encryptor.version));
  const end =
    old === 0
      ? `Everything is under key ${keys.encryptor.version}. ${dataKeysSetting.variable} can drop the others.\n`
      : `${counted(old, 'value')} under other keys. \`kelpie-admin encryption-keys rotate\` re-encrypts them.\n`;
  const peppers = await look(countKeysByPepper);
  const byPepper = peppers.map(({ version, keys: count }) => [String(version), String(count)]);
  const peppered = table(['PEPPER', 'API KEYS'], byPepper, 'No API key works.');
  print(options, { encrypts: keys.encryptor.version, counts: shown, old, peppers }, `${text}${end}\n${peppered}`);
  if (missing.length > 0) {
    process.exitCode = 1;
    process.stderr.write(`${counted(total(missing), 'value')} under a key that is not configured. Put it back.\n`);
  }
}

/** What is re-encrypted with a key that no process has could be read by none. */
async function requireKeyInUse(encryptor: Encryptor): Promise<void> {
  const newest = await look(findNewestRecipient);
  if (newest === null) return;
  const version = newest.encrypted[0];
  if (version !== encryptor.version)
    throw new OperatorError(
      `The newest payout is encrypted with key ${version}, not ${encryptor.version}. Restart every api and worker with key ${encryptor.version} first in ${dataKeysSetting.variable}, create a payout in a sandbox, and retry.`,
      'key_not_in_use',
    );
  try {
    openRecipient(encryptor, { id: newest.id, recipientEncrypted: newest.encrypted });
  } catch {
    throw new OperatorError(
      `Key ${version} here is not the key ${version} of the api and the worker. Use their ${dataKeysSetting.variable}.`,
      'key_differs',
    );
  }
}

function requireKeys(counts: readonly KeyCount[], { dataKeys }: ReturnType<typeof openDataKeys>): void {
  const missing = counts.find(({ version }) => !dataKeys.has(version));
  if (missing === undefined) return;
  throw new OperatorError(
    `${missing.table}.${missing.column} has values under key ${missing.version}, which ${dataKeysSetting.variable} does not have. Put it back from your secret store.`,
    'key_missing',
  );
}

const action = 'encryption_keys.rotate';
/** Each finds what changed during the one before. Payouts do not outrun it: new values are under the newest key. */
const mostPasses = 5;

interface Rotation {
  deps: OperatorDeps;
  encryptor: Encryptor;
  options: WithReason;
}

async function rotateAll({ deps, encryptor, options }: Rotation): Promise<Rotated> {
  const report = createProgressWriter(options);
  const columns = await look(listColumns);
  const done: Rotated = { replaced: 0, unreadable: 0 };
  const inAudited: Parameters<typeof rotateColumn>[0]['inAudited'] = async (of, values, work) =>
    runAudited(deps, { dryRun: false }, async (tx) => {
      const detail = { column: of.column, key: encryptor.version, values, reason: options.reason };
      await deps.record(tx, { action, subject: of.table, detail });
      return work(tx);
    });
  for (let pass = 1; pass <= mostPasses; pass += 1) {
    let replaced = 0;
    done.unreadable = 0;
    for (const column of columns) {
      const rotated = await rotateColumn({ pool: deps.pool, encryptor, inAudited }, column);
      replaced += rotated.replaced;
      done.unreadable += rotated.unreadable;
      if (rotated.replaced > 0) report(`${column.table}.${column.column}: ${rotated.replaced} re-encrypted`);
    }
    done.replaced += replaced;
    if (replaced === 0) break;
  }
  return done;
}

/** Digests of accounts and bodies under the newest index key. With one key in the setting, there is nothing to look for. */
async function changeDigests({ deps, encryptor, options }: Rotation): Promise<ChangedIndexes> {
  const indexKeys = chosenSettings((get) => get(settings.indexKey));
  if (indexKeys.size === 1) return { replaced: 0, held: 0, unknown: 0 };
  const [key = 0] = indexKeys.keys();
  const changed = await changeIndexes({
    pool: deps.pool,
    encryptor,
    accountDigest: createVersionedDigest(indexKeys, 'account index'),
    bodyDigest: createVersionedDigest(indexKeys, 'body fingerprint'),
    inAudited: options.dryRun
      ? null
      : async (payouts, work) =>
          runAudited(deps, options, async (tx) => {
            const detail = { index_key: key, payouts, reason: options.reason };
            await deps.record(tx, { action, subject: 'payouts', detail });
            return work(tx);
          }),
  });
  createProgressWriter(options)(`${counted(changed.replaced, 'payout')} with digests under index key ${key}`);
  return changed;
}

const partnersAtOnce = 500;

/** Rows that decide, under the newest row key. With one key in the setting, there is nothing to look for. */
async function signRows({ deps, options }: Rotation): Promise<SignedAnew> {
  const rowKeys = chosenSettings((get) => get(settings.rowKey));
  const done: SignedAnew = { signed: 0, refused: 0 };
  if (rowKeys.size === 1 || options.dryRun) return done;
  let after: string | null = null;
  for (;;) {
    const partners: string[] = await look(async (tx) => listPartnerIds(tx, after, partnersAtOnce));
    const { signed, refused } = await signAnew(deps.pool, partners);
    done.signed += signed;
    done.refused += refused;
    const last = partners.at(-1);
    if (last === undefined || partners.length < partnersAtOnce) break;
    after = last;
  }
  createProgressWriter(options)(`${counted(done.signed, 'row')} signed with the first row key`);
  return done;
}

async function rotate(options: WithReason): Promise<void> {
  const keys = openDataKeys();
  const { encryptor } = keys;
  const before = await readCounts();
  const old = total(before.filter(({ version }) => version !== encryptor.version));
  requireKeys(before, keys);
  if (old > 0) await requireKeyInUse(encryptor);
  const { written, done, digests, rows } = await withOperator('service', async (deps) => {
    const begun: WrittenAct = await runAudited(deps, options, async (tx) => {
      const detail = { key: encryptor.version, values: old, reason: options.reason };
      return deps.record(tx, { action: 'encryption_keys.begin', subject: 'data keys', detail });
    });
    const rotation = { deps, encryptor, options };
    const rotated = options.dryRun ? null : await rotateAll(rotation);
    const changed = await changeDigests(rotation);
    return { written: begun, done: rotated, digests: changed, rows: await signRows(rotation) };
  });
  const left = done === null ? old : total((await readCounts()).filter(({ version }) => version !== encryptor.version));
  const reencrypted =
    done === null
      ? `${counted(old, 'value')} would be re-encrypted with key ${encryptor.version}.`
      : `${counted(done.replaced, 'value')} re-encrypted with key ${encryptor.version}, ${left} left under other keys, ${done.unreadable} of them unreadable.`;
  const { replaced, held, unknown } = digests;
  const sentence = `${reencrypted}\n${counted(replaced, 'payout')} ${options.dryRun ? 'would get' : 'got'} digests under the first index key, ${held} are still being worked on, ${unknown} have digests of no configured key.`;
  const shown = {
    key: encryptor.version,
    old,
    replaced: done?.replaced ?? 0,
    left,
    unreadable: done?.unreadable ?? 0,
    digests,
    rows,
  };
  print(options, { ...shown, ...doneAsJson(options.dryRun, written) }, describeDone(sentence, options.dryRun, written));
  if (done !== null && left + held + unknown + rows.refused > 0) process.exitCode = 1;
}

export function addEncryptionKeyCommands(kelpie: Command): void {
  const keys = kelpie.command('encryption-keys').description('Show and change the keys that encrypt what is stored.');
  addHelp(
    readCommand(keys.command('status'))
      .description(
        'Show how many stored values are under each data key, and how many working API keys under each pepper. Reads every row with an encrypted value.',
      )
      .action(showStatus),
    {
      example: 'kelpie-admin encryption-keys status',
      prints:
        'One line per column and key: its state and how many values it has. One line per pepper. Exits 1 if a key is missing.',
    },
  );
  addHelp(
    withReason(writeCommand(keys.command('rotate')))
      .description(
        'Re-encrypt everything with the first data key, while payouts go on. Stopped at any point, it continues when you run it again.',
      )
      .action(rotate),
    {
      example: 'kelpie-admin encryption-keys rotate --reason "yearly change of the data key"',
      prints: 'How many values were re-encrypted, how many are left, and the audit log entry. Exits 1 if any is left.',
    },
  );
  addGroupHelp(keys, {
    about:
      'Every encrypted value names the key that it is under. The first key of KELPIE_DATA_KEYS encrypts, the others decrypt.',
    example: 'kelpie-admin encryption-keys status',
  });
}
