import { recordActivity, recordSecurityEvent } from '../../activity/index.ts';
import type { ActToConfirm } from '../../platform/acts/confirmed-act.ts';
import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { AdminActor } from '../actor.ts';
import { createApiKey } from '../create-api-key.ts';
import type { KeyAuthority } from '../key-authority.ts';
import { refuseInactive } from '../inactive-partner.ts';
import { describeAuthority } from '../mails/key-change.ts';
import { keyCreatedMail } from '../mails/key-created.ts';
import { countKeys, lockEnvironment } from '../store.ts';
import type { KeyChangeDeps } from './key-deps.ts';

const mostKeys = 5;
/** How long a low daily limit holds for a key that one emailed code has created: time for the other admins to see the email. */
const lowLimitMs = 24 * 3_600_000;

const notVerified = {
  code: 'verification_required',
  message: 'Live keys are available once your business is verified. Until then, use a sandbox key.',
} as const;
const tooMany = {
  code: 'key_limit_reached',
  message: `This environment already has ${mostKeys} active keys. Revoke one first.`,
} as const;

interface NewKey extends KeyAuthority {
  environment: PartnerContext['environment'];
  label: string | null;
}

/** A key with its secret, which is in this answer and nowhere else. */
export interface KeyWithSecret extends NewKey {
  id: string;
  prefix: string;
  secret: string;
  createdAt: Date;
  fullLimitAt: Date | null;
  previous: { prefix: string; expiresAt: Date } | null;
}

/** A live key moves real money, so its creation is confirmed, with all that the key may do. */
function keyToConfirm(business: string, { environment, label, ...authority }: NewKey): ActToConfirm | null {
  if (environment !== 'live') return null;
  const { scope, networks, expiresAt, dailyLimit } = authority;
  const fields = [label, scope, networks, expiresAt?.toISOString() ?? null, dailyLimit?.toString() ?? null];
  return {
    act: JSON.stringify(['key.create', environment, ...fields]),
    business,
    does: `create a live API key for ${business}`,
    facts: [...(label === null ? [] : [['Label', label] as const]), ...describeAuthority(authority)],
  };
}

/** A key by an admin's wish, of which every admin is told. */
export async function makeKey(
  deps: KeyChangeDeps,
  actor: AdminActor,
  { code, ...wanted }: NewKey & { code: string | undefined },
): Promise<KeyWithSecret> {
  const partnerEnvironment = { partnerId: actor.partnerId, environment: wanted.environment };
  const plan = async (tx: Transaction) => {
    const room = await findRoom(tx, partnerEnvironment, deps.clock.now());
    return { ...room, toConfirm: keyToConfirm(room.business, wanted) };
  };
  return deps.inConfirmedTransaction(actor, { code, plan }, partnerEnvironment, async (tx, { business, isFirst }) => {
    const isLow = wanted.environment === 'live' && wanted.scope === 'pay' && !isFirst;
    const { by, requestId } = actor;
    const fullLimitAt = isLow ? new Date(deps.clock.now().getTime() + lowLimitMs) : null;
    const made = await createApiKey(tx, deps, { ...partnerEnvironment, ...wanted, fullLimitAt, createdBy: by });
    const done = { environment: wanted.environment, action: 'key.create', status: 201, detail: made.id };
    await recordActivity(tx, { id: requestId, partnerId: actor.partnerId, by, ...done });
    await recordSecurityEvent(tx, actor, done);
    const { dashboardUrl } = deps;
    const key = { ...wanted, ...made, fullLimitAt };
    const message = keyCreatedMail({ ...key, business, by, at: made.createdAt, dashboardUrl });
    await deps.notifyAdmins(tx, { kind: 'key-created', message });
    return { ...key, previous: null };
  });
}

/** Under the lock of the partner environment, so that of ten at the same moment no more come through than there is room for. */
async function findRoom(
  tx: Transaction,
  partnerEnvironment: PartnerContext,
  at: Date,
): Promise<{ business: string; isFirst: boolean }> {
  const found = await lockEnvironment(tx, partnerEnvironment);
  if (found !== null) refuseInactive(found.status);
  if (found === null || (partnerEnvironment.environment === 'live' && !found.isVerified))
    throw new ApiError(notVerified);
  const { working, everPaying } = await countKeys(tx, partnerEnvironment, at);
  if (working >= mostKeys) throw new ApiError(tooMany);
  return { business: found.business, isFirst: everPaying === 0 };
}
