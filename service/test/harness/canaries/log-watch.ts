import { listenToChildren, type StartedChild } from '@kelpie/dev/child-process.ts';
import { parseLogLine } from '@kelpie/dev/log-line.ts';
import { settings } from '../../../src/platform/configuration/settings.ts';
import { findCanaries, findSecrets, type SecretSetting } from './find-canaries.ts';

// Reads along in every test run: what a process of ours logs, what its jobs carry, and what it refuses with. A test file that
// brought a secret or a person's detail to light fails, whatever it was about.

const found = new Set<string>();

/** Adds to what fails this test file: kind and place, never the value. */
function report(kinds: readonly string[], place: string): void {
  for (const kind of kinds) found.add(`${kind}, in ${place}`);
}

export function watchText(text: string, place: string): void {
  report(findCanaries(text), place);
}

const secretVariables = new Set([
  'BANK_API_KEY',
  'BANK_DATABASE_URL',
  ...Object.values(settings)
    .filter((setting) => 'secret' in setting && setting.secret)
    .map(({ variable }) => variable),
]);

/** Shorter ones are words. Of several keys in one setting, each is one. */
const shortestSecret = 7;

function valuesOf(text: string): string[] {
  const url = /^[a-z]+:\/\//.test(text) ? URL.parse(text) : null;
  return url === null ? text.split(/[:,]/) : [url.password];
}

function secretsOf(env: Readonly<Record<string, string>>): SecretSetting[] {
  return Object.entries(env)
    .filter(([variable]) => secretVariables.has(variable))
    .flatMap(([variable, text]) => valuesOf(text).map((value) => ({ variable, value })))
    .filter(({ value }) => value.length >= shortestSecret);
}

/** All that these say is a log. Others print for a person, who may be shown names and a new key. */
const services = new Set(['service/src/app/api.ts', 'service/src/app/worker.ts', 'sandbox-bank/src/main.ts']);

/** A process that refuses a setting says for the person who started it what the setting looks like, by an example. */
const refusedSetting = /\b(?:KELPIE|BANK)_[A-Z_]+\b/;

/** Which field of a log line says it. */
function placeOf(line: Readonly<Record<string, unknown>>, secrets: readonly SecretSetting[]): string {
  const field = Object.entries(line).find(([, value]) => findCanaries(JSON.stringify(value), secrets).length > 0);
  return field === undefined ? 'a line' : `the field ${field[0]}`;
}

export function watchLine(child: StartedChild, text: string, secrets = secretsOf(child.env)): void {
  const line = parseLogLine(text);
  if (line?.['level'] === undefined) {
    const find = services.has(child.file) && !refusedSetting.test(text) ? findCanaries : findSecrets;
    report(find(text, secrets), `what ${child.name} said outside its log`);
    return;
  }
  const kinds = findCanaries(text, secrets);
  if (kinds.length > 0) report(kinds, `${placeOf(line, secrets)} of ${line.event}, logged by ${child.name}`);
}

/** Called once in each process of a test run, before the test file is loaded. */
export function watchLogs(): void {
  listenToChildren((child) => {
    // A defence of it was taken away (attack/hole.ts), so what it gives away is the attack's to find.
    if ('PLANTED_HOLE' in child.env) return () => undefined;
    const secrets = secretsOf(child.env);
    return (text) => watchLine(child, text, secrets);
  });
  // By now every process that the file started has ended, and said its last.
  process.once('exit', () => {
    if (found.size === 0) return;
    console.error(`Found in the output of a process:\n${[...found].map((each) => `- ${each}`).join('\n')}`);
    process.exitCode = 1;
  });
}
