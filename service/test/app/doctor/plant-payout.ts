import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { PayoutRecipient } from '../../../src/payouts/model/order.ts';
import { accountIndexOf } from '../../../src/payouts/model/order.ts';
import { encryptRecipient } from '../../../src/payouts/records/encrypted-recipient.ts';
import { createEncryptor } from '../../../src/platform/encryption.ts';
import { createKeyedDigest } from '../../../src/platform/keyed-digest.ts';
import { settings } from '../../../src/platform/configuration/settings.ts';
import { newId } from '../../../src/platform/ids.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { plantPayout } from '../../harness/planted-payout.ts';

const recipient: PayoutRecipient = {
  type: 'individual',
  firstName: 'Grace',
  lastName: 'Hopper',
  email: null,
  bankName: 'Example Bank',
  sortCode: '040004',
  accountNumber: '12345678',
  address: { line1: '1 High Street', line2: null, city: 'Leeds', region: 'Leeds', postalCode: 'LS1 1AA' },
};

/** A payout whose recipient is encrypted and indexed with these keys. */
export async function plantEncryptedPayout(
  superuserUrl: string,
  keys: { KELPIE_DATA_KEYS: string; KELPIE_INDEX_KEY: string },
): Promise<void> {
  const partner = { partnerId: newId(systemClock), environment: 'sandbox' as const };
  const { id } = await plantPayout({ superuserUrl }, partner, 'completed');
  const dataKeys = settings.dataKeys.parse(keys.KELPIE_DATA_KEYS) ?? new Map<number, Buffer>();
  const encrypted = encryptRecipient(createEncryptor(dataKeys), id, recipient);
  const digest = createKeyedDigest(Buffer.from(keys.KELPIE_INDEX_KEY, 'hex'), 'account index');
  await asAdmin(superuserUrl, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query('update kelpie.payouts set recipient_encrypted = $2, account_index = $3 where id = $1', [
      id,
      encrypted,
      accountIndexOf(digest, recipient),
    ]);
  });
}
