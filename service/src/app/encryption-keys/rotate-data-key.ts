import type { Pool } from '../../platform/database/pool.ts';
import { inReadOnlyTransaction, type Transaction } from '../../platform/database/transaction.ts';
import type { Encryptor } from '../../platform/encryption.ts';
import {
  listValues,
  replaceValues,
  type EncryptedColumn,
  type ListedRow,
  type Page,
  type Replacement,
} from './store.ts';

/** Small enough that no row is locked for long. */
const rowsAtOnce = 1_000;

export interface Rotated {
  /** Now under the newest key. */
  replaced: number;
  /** Not decrypted by any key that is configured, or not made for its row. */
  unreadable: number;
}

interface Deps {
  pool: Pool;
  encryptor: Encryptor;
  /** One transaction with its audit entry, about so many values of a column. */
  inAudited: (column: EncryptedColumn, values: number, work: (tx: Transaction) => Promise<number>) => Promise<number>;
}

/**
 * Encrypts what a column has under other keys with the newest one, a page of rows at a time. It can be stopped anywhere and
 * begun again. A value that changes meanwhile, or whose row is locked, is left for the next pass.
 */
export async function rotateColumn({ pool, encryptor, inAudited }: Deps, column: EncryptedColumn): Promise<Rotated> {
  const rotated: Rotated = { replaced: 0, unreadable: 0 };
  let after: string | null = null;
  for (;;) {
    const page: Page = { exceptVersion: encryptor.version, after, atMost: rowsAtOnce };
    const rows: ListedRow[] = await inReadOnlyTransaction(pool, 'shared', async (tx) => listValues(tx, column, page));
    const values: Replacement[] = [];
    for (const { key, place, encrypted } of rows) {
      if (encrypted === null) continue;
      const text = decrypted(() => encryptor.decrypt(encrypted, place));
      if (text === null) rotated.unreadable += 1;
      else values.push({ key, before: encrypted, after: encryptor.encrypt(text, place) });
    }
    if (values.length > 0)
      rotated.replaced += await inAudited(column, values.length, async (tx) => replaceValues(tx, column, values));
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsAtOnce) return rotated;
    after = last.key;
  }
}

function decrypted(decrypt: () => string): string | null {
  try {
    return decrypt();
  } catch {
    return null;
  }
}
