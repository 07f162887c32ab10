import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { projectFolder } from '@kelpie/dev/project.ts';
import { settings, type Setting } from '../../src/platform/configuration/settings.ts';

const run = promisify(execFile);
const folder = path.join(projectFolder, 'deploy/package');
const unitFolder = path.join(folder, 'systemd');
const services = globSync('*.service', { cwd: unitFolder }).toSorted();
const all: readonly Setting<unknown>[] = Object.values(settings);
const secretNames = all.filter(({ secret }) => secret === true).map(({ variable }) => variable);

function linesOf(file: string, key: string): string[] {
  const text = readFileSync(file, 'utf8');
  return Array.from(text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm')), ([, value = '']) => value);
}

/** The credentials of a unit: the name of each, and the variable that names its file. */
function credentialsOf(unit: string): { name: string; variable: string }[] {
  const variables = linesOf(path.join(unitFolder, unit), 'Environment');
  return linesOf(path.join(unitFolder, unit), 'LoadCredential').map((line) => {
    const [name = '', source] = line.split(':');
    assert.equal(source, `/etc/kelpie/secrets/${name}`, unit);
    const variable = `KELPIE_${name.toUpperCase().replaceAll('-', '_')}`;
    assert(variables.includes(`${variable}_FILE=%d/${name}`), `${unit}: no variable names the file of ${name}`);
    return { name, variable };
  });
}

test('every secret reaches the processes as a credential, and none but a secret does', () => {
  const given = services.flatMap(credentialsOf).map(({ variable }) => variable);
  // An operator's own login is in a file of theirs.
  const expected = secretNames.filter((name) => name !== settings.operatorDatabaseUrl.variable);
  assert.deepEqual([...new Set(given)].toSorted(), expected.toSorted());
});

test('the audit key and the owner of the database are kept away from the api and the worker', () => {
  for (const unit of ['kelpie-api.service', 'kelpie-worker.service']) {
    const names = credentialsOf(unit).map(({ name }) => name);
    assert.deepEqual(
      names.filter((name) => ['audit-key', 'owner-database-url'].includes(name)),
      [],
    );
  }
  assert(!credentialsOf('kelpie-api.service').some(({ name }) => name === 'ledger-key'));
});

test('a secret that is optional in production may have no file', () => {
  const mayBeAbsent = [settings.standbyDatabaseUrl, settings.sandboxBankApiKey, settings.liveBankApiKey];
  const optional = new Set(mayBeAbsent.map(({ variable }) => variable));
  for (const unit of services) {
    const withFallback = linesOf(path.join(unitFolder, unit), 'SetCredential');
    const needed = credentialsOf(unit).filter(({ variable }) => optional.has(variable));
    assert.deepEqual(
      withFallback,
      needed.map(({ name }) => `${name}:none`),
      unit,
    );
  }
});

test('every variable in the settings files is a setting and no secret, and each example is valid', () => {
  const files = globSync('*.env', { cwd: path.join(folder, 'etc') });
  assert.deepEqual(files.toSorted(), ['api.env', 'checks.env', 'kelpie.env', 'worker.env']);
  for (const file of files) {
    const text = readFileSync(path.join(folder, 'etc', file), 'utf8');
    for (const [, name = '', value = ''] of text.matchAll(/^#?(KELPIE_\w+)=(.*)$/gm)) {
      const setting = all.find(({ variable }) => variable === name);
      assert(setting !== undefined && !secretNames.includes(name), `${file}: ${name}`);
      if (value !== '') assert.notEqual(setting.parse(value.replace(/^"(.*)"$/, '$1')), undefined, `${file}: ${name}`);
    }
  }
});

/** Systemd's own units that ours, by default, come after or are wanted by. */
const targets = ['sysinit', 'basic', 'shutdown', 'network-online', 'timers', 'multi-user', 'time-set', 'time-sync'];

/** As they are installed, with something to execute. */
async function installUnits(): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'kelpie-units-'));
  after(async () => rm(root, { recursive: true }));
  await mkdir(path.join(root, 'usr/lib/kelpie/bin'), { recursive: true });
  await writeFile(path.join(root, 'usr/lib/kelpie/bin/node'), '', { mode: 0o755 });
  const units = path.join(root, 'usr/lib/systemd/system');
  await cp(unitFolder, units, { recursive: true });
  for (const target of targets)
    await writeFile(path.join(units, `${target}.target`), '[Unit]\nDefaultDependencies=no\n');
  return root;
}

const mostExposure = 2;

test(
  'systemd accepts every unit, and finds none exposed by more than 2.0 of 10',
  { skip: existsSync('/usr/bin/systemd-analyze') ? false : 'systemd is not installed' },
  async () => {
    const root = await installUnits();
    const timers = globSync('*.timer', { cwd: unitFolder });
    const analyze = async (...args: string[]): Promise<string> => {
      const { stdout, stderr } = await run('systemd-analyze', [`--root=${root}`, '--man=no', ...args]);
      return stdout + stderr;
    };
    assert.equal(await analyze('verify', ...services, ...timers), '');
    const judge = ['security', '--offline=true', '--no-pager', `--threshold=${mostExposure * 10}`];
    // It exits with an error above the threshold.
    for (const unit of services) assert.match(await analyze(...judge, unit), /Overall exposure level/);
  },
);
