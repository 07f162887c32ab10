import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { ConfigurationError, readConfiguration } from './configuration.ts';
import { secretFileVariables, secretVariables } from './secret-files.ts';
import { settings, type Setting } from './settings.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-secrets-'));
after(() => rmSync(folder, { recursive: true }));

function fileWith(text: string): string {
  const file = path.join(folder, `secret-${Math.random().toString(36).slice(2)}`);
  writeFileSync(file, text);
  return file;
}

const mode = { KELPIE_MODE: 'development' };

/** A bank's key needs its address. */
function bankOf({ variable }: Setting<unknown>): Record<string, string> {
  const url = variable.replace(/API_KEY$/, 'URL');
  return url === variable || !url.includes('BANK') ? mode : { ...mode, [url]: 'https://bank.example/v0' };
}

function refusal(env: Record<string, string>, setting: Setting<unknown> = settings.databaseUrl): string {
  try {
    readConfiguration({ ...mode, ...env }, (get) => get(setting));
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  return 'it started';
}

test('every secret can be read from a file, without its last line end', () => {
  assert(secretVariables.length >= 12);
  for (const setting of Object.values<Setting<unknown>>(settings).filter(({ secret }) => secret === true))
    for (const end of ['', '\n', '\r\n']) {
      const env = { ...bankOf(setting), [`${setting.variable}_FILE`]: fileWith(`${setting.example}${end}`) };
      const value: unknown = readConfiguration(env, (get) => get(setting));
      assert.deepEqual(value, setting.parse(setting.example), setting.variable);
    }
});

test('only secrets have files', () => {
  assert.equal(secretFileVariables.length, secretVariables.length);
  assert.match(refusal({ KELPIE_PUBLIC_URL_FILE: '/x' }), /^KELPIE_PUBLIC_URL_FILE is not a Kelpie setting/m);
});

test('one line end is removed, and no more', () => {
  const { example } = settings.databaseUrl;
  assert.match(refusal({ KELPIE_DATABASE_URL_FILE: fileWith(`${example}\n\n`) }), /^KELPIE_DATABASE_URL is invalid/m);
});

test('a secret that is given twice is refused', () => {
  const env = { KELPIE_DATABASE_URL: settings.databaseUrl.example, KELPIE_DATABASE_URL_FILE: fileWith('hunter2') };
  const said = refusal(env);
  assert.match(said, /^KELPIE_DATABASE_URL and KELPIE_DATABASE_URL_FILE are both set/m);
  assert.doesNotMatch(said, /hunter2|is not set/);
});

test('a file that cannot be read is refused by the name of its variable, without path or content', () => {
  const pipe = path.join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const [file, why] of [
    ['/nowhere/hunter2', 'ENOENT'],
    [folder, 'not a regular file'],
    [pipe, 'not a regular file'],
    [fileWith(''), 'empty'],
    [fileWith('\n'), 'empty'],
    [fileWith('hunter2'.repeat(10_000)), 'too long for a secret'],
  ] as const) {
    const said = refusal({ KELPIE_DATABASE_URL_FILE: file });
    assert.match(said, new RegExp(`^KELPIE_DATABASE_URL_FILE cannot be read \\(${why}\\)`, 'm'));
    assert.equal(said.includes(file) || said.includes('hunter2'), false, said);
    assert.doesNotMatch(said, /KELPIE_DATABASE_URL is/);
  }
});

test('an empty variable is one that is not set', () => {
  const env = { KELPIE_DATABASE_URL_FILE: '', KELPIE_DATABASE_URL: settings.databaseUrl.example };
  assert.equal(refusal(env), 'it started');
});

test('what is in a file keeps its rule, and its secret', () => {
  const said = refusal({ KELPIE_INDEX_KEY_FILE: fileWith('hunter2\n') }, settings.indexKey);
  assert.match(said, /^KELPIE_INDEX_KEY is invalid\. It must be 64 hexadecimal digits/m);
  assert.doesNotMatch(said, /hunter2/);
});
