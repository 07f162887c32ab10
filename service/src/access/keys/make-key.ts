import { recordActivity, recordSecurityEvent } from '../../activity/index.ts';
import { inTransaction, type PartnerContext, type Transaction } from '../../platform/database/transaction.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { AdminActor } from '../actor.ts';
import { createApiKey } from '../create-api-key.ts';
import { keyCreatedMail } from '../mails/key-created.ts';
import { requireAdmin } from '../members/require-admin.ts';
import { countWorkingKeys, lockEnvironment } from '../store.ts';
import type { KeyChangeDeps } from './key-deps.ts';
import { notifyAdmins } from './notify-admins.ts';

const mostKeys = 5;

const notVerified = {
  code: 'verification_required',
  message: 'Live keys are available once your business is verified. Until then, use a sandbox key.',
} as const;
const tooMany = {
  code: 'key_limit_reached',
  message: `This environment already has ${mostKeys} active keys. Revoke one first.`,
} as const;

interface NewKey {
  environment: PartnerContext['environment'];
  label: string | null;
}

interface MadeKey extends NewKey {
  id: string;
  prefix: string;
  secret: string;
  createdAt: Date;
}

/** A key by an admin's wish, of which every admin is told. The secret is in the answer and nowhere else. */
export async function makeKey(deps: KeyChangeDeps, actor: AdminActor, wanted: NewKey): Promise<MadeKey> {
  const partnerEnvironment = { partnerId: actor.partnerId, environment: wanted.environment };
  return inTransaction(deps.pool, partnerEnvironment, async (tx) => {
    const business = await findRoom(tx, partnerEnvironment);
    await requireAdmin(tx, actor.sessionId);
    const made = await createApiKey(tx, deps, { ...partnerEnvironment, label: wanted.label });
    const { by, requestId } = actor;
    const done = { environment: wanted.environment, action: 'key.create', status: 201, detail: made.id };
    await recordActivity(tx, { id: requestId, partnerId: actor.partnerId, by, ...done });
    await recordSecurityEvent(tx, actor, done);
    const change = {
      ...wanted,
      business,
      prefix: made.prefix,
      by,
      at: made.createdAt,
      dashboardUrl: deps.dashboardUrl,
    };
    await notifyAdmins(tx, deps.outbox, { kind: 'key-created', message: keyCreatedMail(change) });
    return { ...wanted, ...made };
  });
}

/** Under the lock of the partner environment, so that of ten at the same moment no more come through than there is room for. */
async function findRoom(tx: Transaction, partnerEnvironment: PartnerContext): Promise<string> {
  const found = await lockEnvironment(tx, partnerEnvironment);
  if (found === null || (partnerEnvironment.environment === 'live' && !found.isVerified))
    throw new ApiError(notVerified);
  if ((await countWorkingKeys(tx, partnerEnvironment)) >= mostKeys) throw new ApiError(tooMany);
  return found.business;
}
