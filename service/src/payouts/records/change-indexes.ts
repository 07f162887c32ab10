import { encryptRecipientId, openRecipientId } from '../../banks/index.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inReadOnlyTransaction, type Transaction } from '../../platform/database/transaction.ts';
import type { Encryptor } from '../../platform/encryption.ts';
import type { VersionedDigest } from '../../platform/keyed-digest.ts';
import { accountIndexOf, fingerprintOf, type PayoutOrder } from '../model/order.ts';
import { hashOfEqual } from './create-payouts.ts';
import { openRecipient, resealPayout } from './encrypted-recipient.ts';
import {
  listIndexedPayouts,
  listRecipientsOf,
  replaceIndexes,
  type IndexChange,
  type IndexedPayout,
  type IndexedRecipient,
  type RecipientChange,
} from './index-store.ts';

/** Small enough that no row is locked for long. */
const payoutsAtOnce = 500;

interface Deps {
  pool: Pool;
  encryptor: Encryptor;
  accountDigest: VersionedDigest;
  bodyDigest: VersionedDigest;
  /** One transaction with its audit entry, about so many payouts. Null only counts. */
  inAudited: ((payouts: number, work: (tx: Transaction) => Promise<number>) => Promise<number>) | null;
}

export interface ChangedIndexes {
  /** Payouts that got digests under the newest key, or would have got them. */
  replaced: number;
  /** Payouts that are being worked on: the next run changes them. */
  held: number;
  /** Payouts whose digests are of no key that is configured, or whose recipient does not decrypt. */
  unknown: number;
}

/**
 * Digests accounts and bodies with the newest index key, a page of payouts at a time: both are made of what is in the payout. It
 * can be stopped anywhere and begun again. An account's recipients at the bank move with the first of its payouts.
 */
export async function changeIndexes(deps: Deps): Promise<ChangedIndexes> {
  const changed: ChangedIndexes = { replaced: 0, held: 0, unknown: 0 };
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const from = after;
    const payouts: IndexedPayout[] = await inReadOnlyTransaction(deps.pool, 'shared', async (tx) =>
      listIndexedPayouts(tx, from, payoutsAtOnce),
    );
    const changes: IndexChange[] = [];
    for (const payout of payouts) {
      const change = planChange(deps, payout);
      if (change === 'unknown') changed.unknown += 1;
      else if (change !== 'current' && payout.isHeld) changed.held += 1;
      else if (change !== 'current') changes.push(change);
    }
    if (changes.length > 0) changed.replaced += await replace(deps, changes);
    const last = payouts.at(-1);
    if (last === undefined || payouts.length < payoutsAtOnce) return changed;
    after = last.id;
  }
}

async function replace({ pool, encryptor, inAudited }: Deps, changes: readonly IndexChange[]): Promise<number> {
  if (inAudited === null) return changes.length;
  const newIndexes = new Map(changes.map(({ payout, accountIndex }) => [keyOf(payout), accountIndex]));
  const accounts = changes.map(({ payout }) => payout);
  const known = await inReadOnlyTransaction(pool, 'shared', async (tx) => listRecipientsOf(tx, accounts));
  const moved = new Map<string, RecipientChange>();
  for (const recipient of known) {
    const accountIndex = newIndexes.get(keyOf(recipient));
    if (accountIndex !== undefined && !accountIndex.equals(recipient.accountIndex))
      moved.set(recipient.number, { recipient, accountIndex, encrypted: rebound(encryptor, recipient, accountIndex) });
  }
  return inAudited(changes.length, async (tx) => replaceIndexes(tx, changes, [...moved.values()]));
}

function keyOf({
  partnerId,
  environment,
  accountIndex,
}: Pick<IndexedRecipient, 'partnerId' | 'environment' | 'accountIndex'>) {
  return `${partnerId}|${environment}|${accountIndex.toString('hex')}`;
}

/** The bank's id is bound to its account. One that does not open stays as it is, and goes on not opening. */
function rebound(
  encryptor: Encryptor,
  { encrypted, ...account }: Pick<IndexedRecipient, 'partnerId' | 'environment' | 'accountIndex' | 'encrypted'>,
  accountIndex: Buffer,
): Buffer | null {
  if (encrypted === null) return null;
  const id = openRecipientId(encryptor, account, encrypted);
  return id === null ? encrypted : encryptRecipientId(encryptor, { ...account, accountIndex }, id);
}

function planChange(
  { encryptor, accountDigest, bodyDigest }: Deps,
  payout: IndexedPayout,
): IndexChange | 'current' | 'unknown' {
  const { accountIndex: stored, recipientEncrypted, amount, reference } = payout;
  // An erased payout, or one that was rebuilt from the bank's record: nothing is found by its digests.
  if (stored === null || recipientEncrypted === null) return 'current';
  const recipient = opened(encryptor, payout);
  if (recipient === null) return 'unknown';
  const order: PayoutOrder = { amount, country: 'GB', reference, recipient };
  const accountIndex = accountIndexOf(accountDigest.newest, recipient);
  const fingerprint = fingerprintOf(bodyDigest.newest, order);
  const isIndexed = accountIndex.equals(stored);
  const isPrinted = payout.fingerprint === null || fingerprint.equals(payout.fingerprint);
  if (isIndexed && isPrinted) return 'current';
  const isKnown = isIndexed || accountDigest.earlier.some((digest) => accountIndexOf(digest, recipient).equals(stored));
  const isKnownPrint =
    isPrinted || bodyDigest.earlier.some((digest) => payout.fingerprint?.equals(fingerprintOf(digest, order)));
  if (!isKnown || !isKnownPrint) return 'unknown';
  return {
    payout: { ...payout, accountIndex: stored },
    accountIndex,
    recipientEncrypted: resealPayout(encryptor, payout, accountIndex),
    bankRecipientEncrypted: rebound(
      encryptor,
      { ...payout, accountIndex: stored, encrypted: payout.bankRecipientEncrypted },
      accountIndex,
    ),
    equalHash: hashOfEqual({ ...payout, accountIndex }),
    fingerprint: isPrinted ? null : fingerprint,
  };
}

function opened(encryptor: Encryptor, payout: IndexedPayout): PayoutOrder['recipient'] | null {
  try {
    return openRecipient(encryptor, payout);
  } catch {
    return null;
  }
}
