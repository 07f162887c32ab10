import type { FastifyInstance } from 'fastify';
import type { BankClock } from '../clock.ts';
import type { Configuration } from '../configuration.ts';
import { webhookModes } from '../control/webhooks.ts';
import { inTransaction, type Pool, type Transaction } from '../database.ts';
import { faultKinds, type Faults } from '../faults.ts';
import { newId } from '../ids.ts';
import { idReader } from '../http/server.ts';
import { cancel, fail, forget, hold, refund, release, remember, returnMoney, settle } from '../transfers/acts.ts';
import { lockTransfer, type Transfer } from '../transfers/transfer.ts';
import { choose, refuseStrangers } from './forms.ts';
import { listLiquidationAddresses, listNewestDeposits, listVirtualAccounts } from './newest-deposits.ts';
import { listNewestTransfers } from './newest-transfers.ts';
import { listNewestVerifications } from './newest-verifications.ts';
import { renderPage } from './render.ts';

interface PageDeps {
  pool: Pool;
  clock: BankClock;
  faults: Faults;
  configuration: Configuration;
}

type PageAct = (tx: Transaction, transfer: Transfer, at: Date) => Promise<unknown>;

const kinds = Object.fromEntries(faultKinds.map((kind) => [kind, kind]));

/** A delay is ten seconds, a different amount one cent more. */
const nextFault = {
  on: 'transfer.create',
  times: 1,
  delayMs: 10_000,
  status: 400,
  code: 'invalid_parameters',
  microUsdc: 10_000n,
} as const;

const hourMs = 3_600_000;
const moves: Readonly<Record<string, number>> = { hour: hourMs, day: 24 * hourMs };

function pageActs(settleAfterMs: number): Readonly<Record<string, PageAct>> {
  return {
    settle,
    cancel,
    forget,
    remember,
    hold: async (tx, transfer, at) => hold(tx, transfer, 'awaiting_funds', at),
    release: async (tx, transfer, at) => release(tx, transfer, at, settleAfterMs),
    return: async (tx, transfer, at) => returnMoney(tx, transfer, { reason: 'account_closed', microUsdc: null, at }),
    fail: async (tx, transfer, at) => fail(tx, transfer, 'invalid_account_number', at),
    refund: async (tx, transfer, at) => refund(tx, transfer, { microUsdc: null, at }),
  };
}

export function servePage(app: FastifyInstance, { pool, clock, faults, configuration }: PageDeps): void {
  const acts = pageActs(configuration.settleAfterMs);
  const modes = Object.fromEntries(webhookModes.map((mode) => [mode, mode]));
  // Forms are empty: the action is in the URL.
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, _text, done) =>
    done(null, {}),
  );
  app.addHook('preHandler', async (request) => refuseStrangers(request));

  app.get('/', async (_request, reply) => {
    const html = await inTransaction(pool, async (tx) => {
      const { rows } = await tx.query<{ webhook_mode: string }>('select webhook_mode from bank_state');
      return renderPage({
        mode: configuration.mode,
        now: clock.now(),
        shiftMs: clock.shiftMs(),
        webhookMode: rows[0]?.webhook_mode ?? '',
        faults: faults.list(),
        transfers: await listNewestTransfers(tx),
        verifications: await listNewestVerifications(tx),
        deposits: await listNewestDeposits(tx),
        virtualAccounts: await listVirtualAccounts(tx),
        liquidationAddresses: await listLiquidationAddresses(tx),
      });
    });
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', `default-src 'none'; style-src 'unsafe-inline'; form-action 'self'`)
      .send(html);
  });

  app.post('/page/transfers/:transfer_id/:act', async (request, reply) => {
    const act = choose(request, 'act', acts);
    const id = idReader(request)('transfer_id');
    await inTransaction(pool, async (tx) => act(tx, await lockTransfer(tx, id), clock.now()));
    return reply.redirect('/', 303);
  });
  app.post('/page/faults/next/:kind', async (request, reply) => {
    faults.add({ ...nextFault, id: newId(clock.now()), kind: choose(request, 'kind', kinds) });
    return reply.redirect('/', 303);
  });
  app.post('/page/faults/clear', async (_request, reply) => {
    faults.clear();
    return reply.redirect('/', 303);
  });
  app.post('/page/clock/:by', async (request, reply) => {
    const byMs = choose(request, 'by', moves);
    await inTransaction(pool, async (tx) => clock.move(tx, byMs));
    return reply.redirect('/', 303);
  });
  app.post('/page/webhooks/:mode', async (request, reply) => {
    await pool.query('update bank_state set webhook_mode = $1', [choose(request, 'mode', modes)]);
    return reply.redirect('/', 303);
  });
}
