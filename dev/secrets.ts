import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { projectFolder } from './project.ts';

const file = path.join(projectFolder, '.dev', 'secrets.json');

function newKey(): string {
  return randomBytes(32).toString('hex');
}

/** Made once for a checkout and kept: what was encrypted yesterday must be readable today. */
export async function developmentSecrets(): Promise<Record<string, string>> {
  const names = ['KELPIE_API_KEY_PEPPER', 'KELPIE_INDEX_KEY', 'KELPIE_DATA_KEYS'];
  const known: unknown = await readFile(file, 'utf8').then(JSON.parse, () => undefined);
  if (typeof known === 'object' && known !== null) {
    const entries = Object.entries(known).filter(([name, value]) => names.includes(name) && typeof value === 'string');
    if (entries.length === names.length)
      return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
  }
  const secrets = { KELPIE_API_KEY_PEPPER: newKey(), KELPIE_INDEX_KEY: newKey(), KELPIE_DATA_KEYS: `1:${newKey()}` };
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  return secrets;
}
