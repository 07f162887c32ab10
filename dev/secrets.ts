import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { valueAt } from './json.ts';
import { projectFolder } from './project.ts';

const file = path.join(projectFolder, '.dev', 'secrets.json');

function newKey(): string {
  return randomBytes(32).toString('hex');
}

const makers: Readonly<Record<string, () => string>> = {
  KELPIE_API_KEY_PEPPER: newKey,
  KELPIE_INDEX_KEY: newKey,
  KELPIE_ROW_KEY: newKey,
  KELPIE_AUDIT_KEY: newKey,
  KELPIE_DATA_KEYS: () => `1:${newKey()}`,
};

/** Made once for a checkout and kept: what was encrypted yesterday must be readable today. One that is missing is added. */
export async function developmentSecrets(): Promise<Record<string, string>> {
  const known: unknown = await readFile(file, 'utf8').then(JSON.parse, () => ({}));
  const secrets = Object.fromEntries(
    Object.entries(makers).map(([name, make]): [string, string] => {
      const value = valueAt(known, name);
      return [name, typeof value === 'string' ? value : make()];
    }),
  );
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  return secrets;
}
