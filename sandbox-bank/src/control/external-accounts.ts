import type { Route } from '../http/route.ts';
import { notFound } from '../http/api-error.ts';
import { describeAccount, type AccountRow } from '../wire/external-accounts.ts';

const defaultReason = 'rejected_by_bank_provider';

export const accountControlRoutes: readonly Route[] = [
  {
    method: 'POST',
    url: '/external_accounts/:external_account_id/deactivate',
    async perform({ tx, at, id, body }) {
      const { rows } = await tx.query<AccountRow>(
        `update external_accounts set active = false, deactivation_reason = $2, updated_at = $3
         where id = $1 returning *`,
        [id('external_account_id'), body.optionalText('reason') ?? defaultReason, at],
      );
      const [account] = rows;
      if (account === undefined) throw notFound('external account');
      return { status: 200, body: describeAccount(account) };
    },
  },
];
