import type { Clock } from '../../platform/clock.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inTransaction, type Transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import type { Encryptor } from '../../platform/encryption.ts';
import { insertMember } from '../members/store.ts';
import { openBusiness } from './encrypted-codes.ts';
import type { NewSession } from './session-to-open.ts';
import { isSlugTaken, lockSignUpCode, openFirstSession, type BegunSession } from './store.ts';

export interface SignUpDeps {
  pool: Pool;
  clock: Clock;
  encryptor: Encryptor;
  /** Makes the partner with its sandbox, in a transaction of its own partner's. */
  openPartner: (tx: Transaction, partner: { id: string; slug: string; name: string }) => Promise<void>;
}

/** A code that was right, and what it stands for. */
interface ProvenCode {
  id: string;
  slug: string;
  businessEncrypted: Buffer;
}

/** In the commit that opens the business. */
export type OnOpened = (tx: Transaction, begun: BegunSession & { partnerId: string }) => Promise<void>;

interface Opening {
  code: ProvenCode;
  session: NewSession;
  onOpened: OnOpened;
}

type SignedUp = ({ kind: 'opened'; partnerId: string } & BegunSession) | { kind: 'slug_taken' } | { kind: 'used' };

class CodeUsed extends Error {}

/**
 * Makes the business that somebody signed up for, now that the address is proven to be theirs: the partner, its first admin
 * and its first session, in one commit that also uses the code up.
 */
export async function signUp(
  { pool, clock, encryptor, openPartner }: SignUpDeps,
  { email, emailHmac }: { email: string; emailHmac: Buffer },
  { code, session, onOpened }: Opening,
): Promise<SignedUp> {
  const { name, fullName } = openBusiness(encryptor, code.id, code.businessEncrypted);
  const partnerId = newId(clock);
  try {
    const begun = await inTransaction(pool, { partnerId, environment: 'sandbox' }, async (tx) => {
      // Thrown, here and below, so that all of it is undone.
      if (!(await lockSignUpCode(tx, code.id))) throw new CodeUsed();
      const createdAt = clock.now();
      await openPartner(tx, { id: partnerId, slug: code.slug, name });
      await insertMember(tx, { partnerId, email, name: fullName, role: 'admin', invitedBy: null, createdAt });
      const first = { codeId: code.id, partnerId, email, emailHmac };
      const opened = await openFirstSession(tx, first, session, createdAt);
      if (opened === null) throw new CodeUsed();
      await onOpened(tx, { ...opened, partnerId });
      return opened;
    });
    return { kind: 'opened', partnerId, ...begun };
  } catch (error) {
    if (error instanceof CodeUsed) return { kind: 'used' };
    if (isSlugTaken(error)) return { kind: 'slug_taken' };
    throw error;
  }
}
