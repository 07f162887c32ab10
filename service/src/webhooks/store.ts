import type { PartnerContext, Transaction } from '../platform/database/transaction.ts';
import type { DisabledReason, Endpoint } from './endpoint.ts';

interface EndpointRow {
  id: string;
  partner_id: string;
  environment: PartnerContext['environment'];
  url: string;
  description: string | null;
  types: string[] | null;
  created_at: Date;
  disabled_at: Date | null;
  disabled_reason: DisabledReason | null;
  failing_since: Date | null;
  previous_secret_until: Date | null;
}

const columns = `id, partner_id, environment, url, description, types, created_at, disabled_at, disabled_reason, failing_since,
  previous_secret_until`;

function endpointFrom(row: EndpointRow): Endpoint {
  const { disabled_at: at, disabled_reason: reason } = row;
  return {
    id: row.id,
    partnerId: row.partner_id,
    environment: row.environment,
    url: row.url,
    description: row.description,
    types: row.types,
    createdAt: row.created_at,
    disabled: at === null || reason === null ? null : { at, reason },
    failingSince: row.failing_since,
    previousSecretUntil: row.previous_secret_until,
  };
}

type NewEndpoint = Pick<Endpoint, 'id' | 'partnerId' | 'environment' | 'url' | 'description' | 'types' | 'createdAt'>;

/** Null where every place of the environment is taken. */
export async function insertEndpoint(
  tx: Transaction,
  endpoint: NewEndpoint,
  secretEncrypted: Buffer,
): Promise<Endpoint | null> {
  const { rows } = await tx.query<EndpointRow>(
    `insert into kelpie.webhook_endpoints (
       id, partner_id, environment, url, description, types, created_at, secret_encrypted, place
     )
     select $1, $2, $3, $4, $5, $6, $7, $8, free.place from generate_series(1, 10) as free (place)
     where not exists (
       select from kelpie.webhook_endpoints w
       where w.partner_id = $2 and w.environment = $3 and w.place = free.place and w.deleted_at is null
     )
     order by free.place limit 1
     returning ${columns}`,
    [
      endpoint.id,
      endpoint.partnerId,
      endpoint.environment,
      endpoint.url,
      endpoint.description,
      endpoint.types,
      endpoint.createdAt,
      secretEncrypted,
    ],
  );
  return rows[0] === undefined ? null : endpointFrom(rows[0]);
}

/** The business by its name, and no other change to its endpoints until the transaction ends. */
export async function lockBusiness(tx: Transaction, { partnerId }: PartnerContext): Promise<string> {
  const { rows } = await tx.query<{ name: string }>(
    'select name from kelpie.partners where id = $1 for no key update',
    [partnerId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('an endpoint of no partner');
  return row.name;
}

/** In the order in which they were created. There are at most ten. */
export async function listEndpoints(tx: Transaction, { partnerId, environment }: PartnerContext): Promise<Endpoint[]> {
  const { rows } = await tx.query<EndpointRow>(
    `select ${columns} from kelpie.webhook_endpoints
     where partner_id = $1 and environment = $2 and deleted_at is null order by id`,
    [partnerId, environment],
  );
  return rows.map(endpointFrom);
}

export async function findEndpoint(
  tx: Transaction,
  { partnerId, environment }: PartnerContext,
  id: string,
): Promise<Endpoint | null> {
  const { rows } = await tx.query<EndpointRow>(
    `select ${columns} from kelpie.webhook_endpoints
     where id = $1 and partner_id = $2 and environment = $3 and deleted_at is null`,
    [id, partnerId, environment],
  );
  return rows[0] === undefined ? null : endpointFrom(rows[0]);
}

export type EndpointChanges = Pick<Endpoint, 'url' | 'description' | 'types' | 'disabled'>;

/** One that is enabled again begins anew: nothing that failed before counts. */
export async function updateEndpoint(
  tx: Transaction,
  { id, isEnabledAgain, ...changes }: EndpointChanges & { id: string; isEnabledAgain: boolean },
  now: Date,
): Promise<Endpoint> {
  const { rows } = await tx.query<EndpointRow>(
    `update kelpie.webhook_endpoints
     set url = $2, description = $3, types = $4, disabled_at = $5, disabled_reason = $6,
       failures = case when $7 then 0 else failures end,
       failing_since = case when $7 then null else failing_since end,
       due_at = case when $7 then $8 else due_at end
     where id = $1 returning ${columns}`,
    [
      id,
      changes.url,
      changes.description,
      changes.types,
      changes.disabled?.at ?? null,
      changes.disabled?.reason ?? null,
      isEnabledAgain,
      now,
    ],
  );
  if (rows[0] === undefined) throw new Error('an endpoint that was there is gone');
  return endpointFrom(rows[0]);
}

/** It stays for the log of what was sent to it. */
export async function deleteEndpoint(tx: Transaction, id: string, now: Date): Promise<void> {
  await tx.query('update kelpie.webhook_endpoints set deleted_at = $2 where id = $1', [id, now]);
}

/** The current secret signs beside the new one until then. */
export async function replaceSecret(
  tx: Transaction,
  { id, secretEncrypted, previousUntil }: { id: string; secretEncrypted: Buffer; previousUntil: Date },
): Promise<Endpoint> {
  const { rows } = await tx.query<EndpointRow>(
    `update kelpie.webhook_endpoints
     set previous_secret_encrypted = secret_encrypted, previous_secret_until = $3, secret_encrypted = $2
     where id = $1 returning ${columns}`,
    [id, secretEncrypted, previousUntil],
  );
  if (rows[0] === undefined) throw new Error('an endpoint that was there is gone');
  return endpointFrom(rows[0]);
}

interface SecretsRow {
  secret_encrypted: Buffer;
  previous_secret_encrypted: Buffer | null;
  previous_secret_until: Date | null;
}

export interface EncryptedSecrets {
  current: Buffer;
  previous: { encrypted: Buffer; until: Date } | null;
}

export function secretsFrom(row: SecretsRow): EncryptedSecrets {
  const { previous_secret_encrypted: encrypted, previous_secret_until: until } = row;
  return {
    current: row.secret_encrypted,
    previous: encrypted === null || until === null ? null : { encrypted, until },
  };
}

export async function findSecrets(tx: Transaction, id: string): Promise<EncryptedSecrets> {
  const { rows } = await tx.query<SecretsRow>(
    `select secret_encrypted, previous_secret_encrypted, previous_secret_until from kelpie.webhook_endpoints where id = $1`,
    [id],
  );
  if (rows[0] === undefined) throw new Error('an endpoint that was there is gone');
  return secretsFrom(rows[0]);
}

/** Null where it has answered meanwhile, or was disabled already. */
export async function disableFailing(tx: Transaction, id: string, now: Date): Promise<Endpoint | null> {
  const { rows } = await tx.query<EndpointRow>(
    `update kelpie.webhook_endpoints set disabled_at = $2, disabled_reason = 'failing'
     where id = $1 and disabled_at is null and deleted_at is null and failing_since <= $2::timestamptz - interval '3 days'
     returning ${columns}`,
    [id, now],
  );
  return rows[0] === undefined ? null : endpointFrom(rows[0]);
}
