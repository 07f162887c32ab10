import type { NotifyAdmins } from '../platform/acts/confirmed-act.ts';
import { ApiError } from '../platform/api-error.ts';
import type { Clock } from '../platform/clock.ts';
import type { Pool } from '../platform/database/pool.ts';
import { inTransaction, type PartnerContext, type Transaction } from '../platform/database/transaction.ts';
import type { Encryptor } from '../platform/encryption.ts';
import { newId } from '../platform/ids.ts';
import { mostEndpoints, type Endpoint } from './endpoint.ts';
import { endpointChangedMail } from './mails/endpoint-changed.ts';
import { encryptSecret, newSecret } from './secrets.ts';
import { deleteEndpoint, findEndpoint, insertEndpoint, lockBusiness, replaceSecret, updateEndpoint } from './store.ts';

export interface EndpointDeps {
  pool: Pool;
  clock: Clock;
  encryptor: Encryptor;
  notifyAdmins: NotifyAdmins;
  dashboardUrl: string;
}

/** Who changes it: a key by its prefix, or a person. */
export interface Changer extends PartnerContext {
  by: string;
}

export function noSuchEndpoint(): ApiError {
  return new ApiError({ code: 'not_found', message: 'No webhook has this id.' });
}

async function getEndpoint(tx: Transaction, of: PartnerContext, id: string): Promise<Endpoint> {
  const found = await findEndpoint(tx, of, id);
  if (found === null) throw noSuchEndpoint();
  return found;
}

/** Every admin learns of an address that gets the names of recipients: it would work on after the key that created it is revoked. */
async function announce(
  tx: Transaction,
  { notifyAdmins, clock, dashboardUrl }: EndpointDeps,
  { business, endpoint, by, isNew }: { business: string; endpoint: Endpoint; by: string; isNew: boolean },
): Promise<void> {
  if (endpoint.environment !== 'live') return;
  const message = endpointChangedMail({ business, endpoint, by, isNew, at: clock.now(), dashboardUrl });
  await notifyAdmins(tx, { kind: isNew ? 'webhook-created' : 'webhook-changed', message });
}

/** An endpoint with its new secret, which is in this answer and nowhere else. */
export interface EndpointWithSecret {
  endpoint: Endpoint;
  secret: string;
}

export async function createEndpoint(
  deps: EndpointDeps,
  { by, partnerId, environment }: Changer,
  wanted: Pick<Endpoint, 'url' | 'description' | 'types'>,
): Promise<EndpointWithSecret> {
  const { pool, clock, encryptor } = deps;
  const of = { partnerId, environment };
  const id = newId(clock);
  const secret = newSecret();
  const endpoint = await inTransaction(pool, of, async (tx) => {
    const business = await lockBusiness(tx, of);
    const row = { ...wanted, ...of, id, createdAt: clock.now() };
    const created = await insertEndpoint(tx, row, encryptSecret(encryptor, id, secret));
    if (created === null)
      throw new ApiError({
        code: 'webhook_limit_reached',
        message: `This environment already has ${mostEndpoints} webhooks. Delete one first.`,
      });
    await announce(tx, deps, { business, endpoint: created, by, isNew: true });
    return created;
  });
  return { endpoint, secret };
}

export interface WantedChanges {
  url?: string;
  description?: string | null;
  types?: readonly string[] | null;
  enabled?: boolean;
}

export async function changeEndpoint(
  deps: EndpointDeps,
  { by, partnerId, environment }: Changer,
  { id, enabled, ...wanted }: WantedChanges & { id: string },
): Promise<Endpoint> {
  const of = { partnerId, environment };
  const now = deps.clock.now();
  return inTransaction(deps.pool, of, async (tx) => {
    const business = await lockBusiness(tx, of);
    const before = await getEndpoint(tx, of, id);
    const isEnabledAgain = enabled === true && before.disabled !== null;
    const disabled =
      enabled === true
        ? null
        : (before.disabled ?? (enabled === false ? { at: now, reason: 'requested' as const } : null));
    const changed = await updateEndpoint(tx, { ...before, ...wanted, disabled, isEnabledAgain }, now);
    if (changed.url !== before.url) await announce(tx, deps, { business, endpoint: changed, by, isNew: false });
    return changed;
  });
}

export async function removeEndpoint(deps: EndpointDeps, of: PartnerContext, id: string): Promise<void> {
  await inTransaction(deps.pool, of, async (tx) => {
    const { id: found } = await getEndpoint(tx, of, id);
    await deleteEndpoint(tx, found, deps.clock.now());
  });
}

const hourMs = 3_600_000;

/** Both secrets sign for a while, so that the receiver can change over without missing one. */
export async function rollSecret(
  deps: EndpointDeps,
  of: PartnerContext,
  { id, overlapHours }: { id: string; overlapHours: number },
): Promise<EndpointWithSecret> {
  const { pool, clock, encryptor } = deps;
  const secret = newSecret();
  const previousUntil = new Date(clock.now().getTime() + overlapHours * hourMs);
  const endpoint = await inTransaction(pool, of, async (tx) => {
    const { id: found } = await getEndpoint(tx, of, id);
    return replaceSecret(tx, { id: found, secretEncrypted: encryptSecret(encryptor, found, secret), previousUntil });
  });
  return { endpoint, secret };
}
