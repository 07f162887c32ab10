import type { FastifyInstance } from 'fastify';
import type { BankClock } from '../clock.ts';
import { idIn, readMicroUsdc, readPence } from '../control/deposits.ts';
import { inTransaction, type Pool, type Transaction } from '../database.ts';
import { actOnDeposit, depositActs, setDepositForgotten } from '../funding/acts.ts';
import { lockDeposit, type Deposit } from '../funding/deposit.ts';
import { getLiquidationAddress } from '../funding/liquidation-address.ts';
import { receiveTokens, receiveTransfer } from '../funding/receive-deposit.ts';
import { getVirtualAccount } from '../funding/virtual-account.ts';
import { readFields } from '../http/fields.ts';
import { idReader } from '../http/server.ts';
import { choose, refuseStrangers } from './forms.ts';

interface FundingDeps {
  pool: Pool;
  clock: BankClock;
  settleAfterMs: number;
}

type PageAct = (tx: Transaction, deposit: Deposit, at: Date) => Promise<unknown>;

function pageActs(settleAfterMs: number): Readonly<Record<string, PageAct>> {
  const moving = depositActs.map((act): [string, PageAct] => [
    act,
    async (tx, deposit, at) => actOnDeposit(tx, act, deposit, { at, settleAfterMs }),
  ]);
  return {
    ...Object.fromEntries(moving),
    forget: async (tx, deposit) => setDepositForgotten(tx, deposit, true),
    remember: async (tx, deposit) => setDepositForgotten(tx, deposit, false),
  };
}

const name = { pattern: /^[^\0]{1,80}$/, rule: '1 to 80 characters' };
const reference = { pattern: /^[^\0]{1,18}$/, rule: '1 to 18 characters' };

/** The top-up forms, and the buttons of received top-ups. */
export function serveFundingForms(app: FastifyInstance, { pool, clock, settleAfterMs }: FundingDeps): void {
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) =>
    done(null, Object.fromEntries(new URLSearchParams(text.toString()))),
  );
  app.addHook('preHandler', async (request) => refuseStrangers(request));
  const acts = pageActs(settleAfterMs);

  app.post('/page/top-ups/gbp', async (request, reply) => {
    const form = readFields(request.body, 'body');
    const sender = { name: form.text('sender_name', name), reference: form.text('reference', reference) };
    const time = { at: clock.now(), settleAfterMs };
    await inTransaction(pool, async (tx) => {
      const account = await getVirtualAccount(tx, idIn(form, 'place'), null);
      await receiveTransfer(tx, { account, pence: readPence(form, 'amount'), sender }, time);
    });
    return reply.redirect('/', 303);
  });
  app.post('/page/top-ups/usdc', async (request, reply) => {
    const form = readFields(request.body, 'body');
    const time = { at: clock.now(), settleAfterMs };
    await inTransaction(pool, async (tx) => {
      const address = await getLiquidationAddress(tx, idIn(form, 'place'), null);
      await receiveTokens(tx, { address, microUsdc: readMicroUsdc(form, 'amount') }, time);
    });
    return reply.redirect('/', 303);
  });
  app.post('/page/deposits/:deposit_id/:act', async (request, reply) => {
    const act = choose(request, 'act', acts);
    const id = idReader(request)('deposit_id');
    await inTransaction(pool, async (tx) => act(tx, await lockDeposit(tx, id), clock.now()));
    return reply.redirect('/', 303);
  });
}
