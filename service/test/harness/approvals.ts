import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { textAt } from '@kelpie/dev/json.ts';
import type { PartnerContext } from '../../src/platform/database/transaction.ts';
import type { ApiAnswer } from './client.ts';
import type { TestDatabase } from './database.ts';
import { callAs, type Person } from './people.ts';

type Environment = PartnerContext['environment'];

/** What two admins would set, without either; and no rule at all that waits, asked for by one. */
export async function plantRules(
  { superuserUrl }: Pick<TestDatabase, 'superuserUrl'>,
  { partnerId, environment }: PartnerContext,
  {
    abovePence = null,
    newPayee = false,
    keyIds = [],
    pendingBy = null,
  }: { abovePence?: bigint | null; newPayee?: boolean; keyIds?: string[]; pendingBy?: string | null },
): Promise<void> {
  await asAdmin(superuserUrl, async (client) =>
    client.query(
      `insert into kelpie.approval_rules (partner_id, environment, above_pence, new_payee, api_key_ids, pending_by, pending_at,
         pending_new_payee, pending_api_key_ids)
       values ($1, $2, $3, $4, $5, $6::text, case when $6 is not null then now() end,
         case when $6 is not null then false end, case when $6 is not null then '{}'::uuid[] end)
       on conflict (partner_id, environment) do update set above_pence = excluded.above_pence,
         new_payee = excluded.new_payee, api_key_ids = excluded.api_key_ids, pending_by = excluded.pending_by,
         pending_at = excluded.pending_at, pending_new_payee = excluded.pending_new_payee,
         pending_api_key_ids = excluded.pending_api_key_ids, pending_above_pence = null`,
      [partnerId, environment, abovePence, newPayee, keyIds, pendingBy],
    ),
  );
}

/** Who created a key, where a test says. */
export async function plantKeyCreator(
  { superuserUrl }: Pick<TestDatabase, 'superuserUrl'>,
  keyId: string,
  email: string,
): Promise<void> {
  await asAdmin(superuserUrl, async (client) =>
    client.query('update kelpie.api_keys set created_by = $2 where id = $1', [keyId, email]),
  );
}

/** The id of the request that a refused creation names. */
export function requestIn(refused: Pick<ApiAnswer, 'json'>): string {
  return textAt(refused.json, 'error.details.payout_request.id');
}

export function decidePath(id: string, what: 'approve' | 'decline', environment: Environment): string {
  return `/v1/payout-requests/${id}/${what}?environment=${environment}`;
}

/** In a sandbox, where no code is asked for. */
export async function decide(
  person: Person,
  id: string,
  what: 'approve' | 'decline',
  environment: Environment = 'sandbox',
): Promise<ApiAnswer> {
  return callAs(person, decidePath(id, what, environment), { method: 'POST' });
}
