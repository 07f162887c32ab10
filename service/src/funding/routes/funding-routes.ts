import { Type, type Static } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { Environment, nullableObject, nullableText, Query } from '../../http/schema/fields.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import type { Encryptor } from '../../platform/encryption.ts';
import { readFunding, type Funding } from '../read-funding.ts';

const FundingAccount = Type.Object({
  account_holder_name: Type.String(),
  sort_code: Type.String({ examples: ['040668'] }),
  account_number: Type.String({ examples: ['12345678'] }),
  bank_name: nullableText(),
  bank_address: nullableText(),
});

const FundingAddress = Type.Object({ chain: Type.String({ examples: ['base'] }), address: Type.String() });

const FundingSchema = nameSchema(
  'Funding',
  Type.Object(
    {
      object: Type.Literal('funding'),
      environment: Environment,
      reference: Type.String({
        maxLength: 18,
        examples: ['KELPIE 7F3A9C2B'],
        description: 'Write this with a bank transfer: it is always the same.',
      }),
      bank_transfer: nullableObject(FundingAccount, {
        description: 'Pounds sent here become USDC in your wallet. Null until the bank has opened it.',
      }),
      usdc: nullableObject(FundingAddress, {
        description:
          'USDC sent here, on this chain and no other, goes to your wallet. Null until the bank has opened it.',
      }),
    },
    { description: 'Where to send money so that it reaches your wallet.' },
  ),
);

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
  app.addSchema(FundingSchema.definition);
  const schema = {
    operationId: 'getFunding',
    summary: 'Where to send a top-up',
    description:
      'A bank transfer in pounds is converted to USDC when it arrives; USDC is taken as it is. Both are credited once the bank has processed them, net of its fee.',
    tags: ['Account'],
    querystring: Query,
    response: { 200: FundingSchema.ref, ...keyedErrors() },
  };
  const config = { action: 'funding.get', access: 'readers' } as const;
  app.get('/v1/funding', { schema, config, onRequest: requireCaller }, async (request) => {
    const caller = callerOf(request);
    return fundingBody(caller, await readFunding({ calls, encryptor }, caller));
  });
}
