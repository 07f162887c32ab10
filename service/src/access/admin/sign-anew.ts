import type { Pool } from '../../platform/database/pool.ts';
import { inTransaction, type Transaction } from '../../platform/database/transaction.ts';
import { isOurs, sealedKey, sealedMember, sealKey, sealMember, selectKeys, type DecidingKey } from '../sealed-rows.ts';

export interface SignedAnew {
  signed: number;
  /** Not signed by any key that is configured: changed past us. They stay refused. */
  refused: number;
}

interface MemberRow {
  partner_id: string;
  email: string;
  role: string;
  mac: Buffer;
}

const ofOtherVersion = 'mac is not null and get_byte(mac, 0) <> $1 for no key update';

async function signKeys(tx: Transaction, done: SignedAnew): Promise<void> {
  const { rows } = await tx.query<DecidingKey & { mac: Buffer }>(`${selectKeys} where ${ofOtherVersion}`, [
    tx.rowMacs.version,
  ]);
  for (const { mac, ...key } of rows) {
    const isSound = isOurs(tx.rowMacs, sealedKey(key), mac);
    if (isSound) await sealKey(tx, key.id);
    done[isSound ? 'signed' : 'refused'] += 1;
  }
}

async function signMembers(tx: Transaction, done: SignedAnew): Promise<void> {
  const { rows } = await tx.query<MemberRow>(
    `select partner_id, email, role, mac from kelpie.members where ${ofOtherVersion}`,
    [tx.rowMacs.version],
  );
  for (const { mac, ...member } of rows) {
    const isSound = isOurs(tx.rowMacs, sealedMember(member), mac);
    if (isSound) await sealMember(tx, member);
    done[isSound ? 'signed' : 'refused'] += 1;
  }
}

/** Signs the keys and members of partners with the newest row key. Sessions end before they would need it. */
export async function signAnew(pool: Pool, partnerIds: readonly string[]): Promise<SignedAnew> {
  const done: SignedAnew = { signed: 0, refused: 0 };
  for (const partnerId of partnerIds)
    await inTransaction(pool, { partnerId, environment: 'sandbox' }, async (tx) => {
      await signKeys(tx, done);
      await signMembers(tx, done);
    });
  return done;
}
