// Where the API key and the address come from: the environment, or a file that only its owner can read.
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { createKelpie, type Kelpie } from '../index.ts';
import { CommandError } from './command-error.ts';

export interface Settings {
  apiKey: string;
  /** Without /v1 and without a slash at its end. */
  baseUrl: string;
  environment: 'sandbox' | 'live';
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `~/.config/kelpie/credentials`, or below XDG_CONFIG_HOME. */
function credentialsFile(env: Environment): string {
  return path.join(env['XDG_CONFIG_HOME'] ?? path.join(homedir(), '.config'), 'kelpie', 'credentials');
}

/** `~/.local/state/kelpie`, or below XDG_STATE_HOME. */
export function stateFolder(env: Environment): string {
  return path.join(env['XDG_STATE_HOME'] ?? path.join(homedir(), '.local', 'state'), 'kelpie');
}

/** Windows has no such bits: a profile's folder is its owner's alone. */
const hasModes = process.platform !== 'win32';

/** The mode of the file that is read, not of one that took its place since. */
function readPrivately(file: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new CommandError('settings', 'credentials_unreadable', `${file} cannot be read.`);
  }
  try {
    if (hasModes && (fstatSync(descriptor).mode & 0o077) !== 0) {
      const message = `Other users can read ${file}, so it is not used. Run \`chmod 600 ${file}\`. If others may have read the key, replace it.`;
      throw new CommandError('settings', 'credentials_exposed', message);
    }
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

function parseCredentials(text: string): Environment {
  return Object.fromEntries(
    Array.from(text.matchAll(/^(KELPIE_API_KEY|KELPIE_BASE_URL)=(.*?)\s*$/gm), ([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
}

export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host);

export function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.search !== '' || url.username !== '') {
    const message = 'KELPIE_BASE_URL is not an address such as https://api.kelpie.example.';
    throw new CommandError('settings', 'base_url_invalid', message);
  }
  return text.replace(/\/+$/, '').replace(/\/v1$/, '');
}

export function parseApiKey(text: string): Pick<Settings, 'apiKey' | 'environment'> {
  const environment = /^kp_(sandbox|live)_[\x21-\x7e]+$/.exec(text)?.[1];
  if (environment !== 'sandbox' && environment !== 'live')
    throw new CommandError('settings', 'key_invalid', 'The API key must start with kp_sandbox_ or kp_live_.');
  return { apiKey: text, environment };
}

/** A live key moves real money: it never travels unencrypted. */
export function assertEncrypted({ environment, baseUrl }: Pick<Settings, 'environment' | 'baseUrl'>): void {
  const { protocol, hostname } = new URL(baseUrl);
  if (environment === 'live' && protocol === 'http:' && !isLoopback(hostname))
    throw new CommandError('settings', 'not_encrypted', 'A live key is sent by https only. Change KELPIE_BASE_URL.');
}

function required(name: string, what: string, env: Environment, stored: Environment): string {
  const value = env[name] ?? stored[name] ?? '';
  if (value !== '') return value;
  const message = `${what} Set ${name}, or run \`kelpie configure\`.`;
  throw new CommandError('settings', 'not_configured', message);
}

/** A variable goes before the file. */
export function readSettings(env: Environment = process.env): Settings {
  const isComplete = (env['KELPIE_API_KEY'] ?? '') !== '' && (env['KELPIE_BASE_URL'] ?? '') !== '';
  const stored = isComplete ? {} : parseCredentials(readPrivately(credentialsFile(env)) ?? '');
  const key = parseApiKey(required('KELPIE_API_KEY', 'An API key is required.', env, stored));
  const address = required('KELPIE_BASE_URL', 'The address of the API is required.', env, stored);
  const settings = { ...key, baseUrl: parseBaseUrl(address) };
  assertEncrypted(settings);
  return settings;
}

/** The file has its mode before it has the key, and is replaced as a whole. */
export function storeCredentials({ apiKey, baseUrl }: Settings, env: Environment): string {
  const file = credentialsFile(env);
  writePrivately(file, `KELPIE_API_KEY=${apiKey}\nKELPIE_BASE_URL=${baseUrl}\n`);
  return file;
}

/** Replaces a file as a whole; whoever stops in between leaves the old one. */
export function writePrivately(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}.new`;
  rmSync(next, { force: true });
  // flush: after a power cut, the new name must not point to an empty file.
  writeFileSync(next, text, { mode: 0o600, flag: 'wx', flush: true });
  renameSync(next, file);
}

/** With `retries: 0` for a command that asks again by itself, for as long as it runs. */
export function connectKelpie({ apiKey, baseUrl }: Settings, options: { retries?: 0 } = {}): Kelpie {
  return createKelpie({ apiKey, baseUrl, ...options });
}
