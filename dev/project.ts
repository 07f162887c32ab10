import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of this checkout, without a slash at the end. */
export const projectFolder = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

function readOrMakeId(): string {
  const file = path.join(projectFolder, '.dev', 'checkout-id');
  mkdirSync(path.dirname(file), { recursive: true });
  try {
    // Only the first of several that start at once makes it.
    writeFileSync(file, randomBytes(4).toString('hex'), { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return readFileSync(file, 'utf8');
}

/** Names what belongs to this checkout. A new clone in the same place is another one: it finds no data that is not its own. */
export const checkoutId = readOrMakeId();
