import { Type, type Static } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { walletChain } from '../../banks/index.ts';
import { exampleValues } from '../../http/schema/example-values.ts';
import { Environment, nullableObject, nullableText, Query } from '../../http/schema/fields.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import type { Encryptor } from '../../platform/encryption.ts';
import { readFunding, type Funding } from '../read-funding.ts';

const FundingAccount = Type.Object({
  account_holder_name: Type.String({ description: 'The name of the account holder.' }),
  sort_code: Type.String({ description: 'Sort code: 6 digits.' }),
  account_number: Type.String({ description: 'Account number: 8 digits.' }),
  bank_name: nullableText({ description: 'The name of the bank.' }),
  bank_address: nullableText({ description: 'The address of the bank.' }),
});

const FundingAddress = Type.Object({
  chain: Type.String({ description: 'The blockchain. Send USDC on this chain only.' }),
  address: Type.String({ description: 'The address of the wallet.' }),
});

const FundingSchema = nameSchema(
  'Funding',
  Type.Object(
    {
      object: Type.Literal('funding', { description: 'Always `funding`.' }),
      environment: Environment,
      reference: Type.String({
        maxLength: 18,
        description: 'The payment reference to use for bank transfers. It never changes.',
      }),
      bank_transfer: nullableObject(FundingAccount, {
        description: 'The bank account for top-ups in pounds. Null until the bank has opened it.',
      }),
      usdc: nullableObject(FundingAddress, {
        description: 'The address for top-ups in USDC. Null until the bank has opened it.',
      }),
    },
    { description: 'Where to send top-ups.' },
  ),
);

const example: Static<typeof FundingSchema.definition> = {
  object: 'funding',
  environment: 'sandbox',
  reference: 'KELPIE 7F3A9C2B',
  bank_transfer: {
    account_holder_name: exampleValues.business,
    sort_code: '040668',
    account_number: '23456789',
    bank_name: 'Sandbox Bank',
    bank_address: '1 Bank Street, London EC2R 8AH',
  },
  usdc: { chain: walletChain, address: '0x52908400098527886E0F7030069857D2E4169EE7' },
};

function fundingBody({ environment }: PartnerContext, funding: Funding): Static<typeof FundingSchema.definition> {
  const { account } = funding;
  return {
    object: 'funding',
    environment,
    reference: funding.reference,
    bank_transfer:
      account === null
        ? null
        : {
            account_holder_name: account.accountHolderName,
            sort_code: account.sortCode,
            account_number: account.accountNumber,
            bank_name: account.bankName,
            bank_address: account.bankAddress,
          },
    usdc: funding.address,
  };
}

interface RouteDeps extends Authentication {
  calls: SingleCalls;
  encryptor: Encryptor;
}

export function addFundingRoutes(app: Server, { calls, encryptor, requireCaller, callerOf }: RouteDeps): void {
  addSchema(app, FundingSchema, example);
  const schema = {
    operationId: 'getFunding',
    summary: 'Retrieve top-up details',
    description:
      'Returns the bank account and the USDC address of your wallet. Pounds are converted to USDC when they arrive. Both are credited net of the bank fee, once the bank has processed them.',
    tags: ['Wallet'],
    querystring: Query,
    response: { 200: FundingSchema.ref, ...keyedErrors() },
  };
  const config = { action: 'funding.get', access: 'readers' } as const;
  app.get('/v1/funding', { schema, config, onRequest: requireCaller }, async (request) => {
    const caller = callerOf(request);
    return fundingBody(caller, await readFunding({ calls, encryptor }, caller));
  });
}
