import type { Call, SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext } from '../platform/database/transaction.ts';
import { readInPages } from '../platform/read-in-pages.ts';
import type { Rail } from './environment.ts';

/** A partner at a bank, in one environment. */
export interface EnvironmentAtBank extends PartnerContext {
  rail: Exclude<Rail, 'simulated'>;
  customerId: string;
  walletId: string;
}

export interface EnvironmentAtBankRow {
  partner_id: string;
  environment: PartnerContext['environment'];
  rail: EnvironmentAtBank['rail'];
  bank_customer_id: string;
  bank_wallet_id: string;
}

export function environmentAtBankFrom(row: EnvironmentAtBankRow): EnvironmentAtBank {
  return {
    partnerId: row.partner_id,
    environment: row.environment,
    rail: row.rail,
    customerId: row.bank_customer_id,
    walletId: row.bank_wallet_id,
  };
}

const listCall: Call = {
  name: 'list_environments_at_banks',
  text: 'select * from kelpie.list_environments_at_banks($1, $2)',
};

const partnersAtOnce = 100;

/** Every partner at a bank, by partner. A page ends between two partners, so none is split or skipped. */
export function listEnvironmentsAtBanks(calls: SingleCalls): AsyncGenerator<EnvironmentAtBank> {
  return readInPages(
    async (afterPartner) => {
      const rows = await calls.call<EnvironmentAtBankRow>(listCall, [afterPartner, partnersAtOnce]);
      return rows.map(environmentAtBankFrom);
    },
    ({ partnerId }) => partnerId,
  );
}
