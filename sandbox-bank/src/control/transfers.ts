import type { Fields } from '../http/fields.ts';
import type { Route, RouteRequest } from '../http/route.ts';
import { fail, forget, hold, refund, release, remember, returnMoney, settle } from '../transfers/acts.ts';
import { changeState } from '../transfers/change-state.ts';
import { describeTransfer, lockTransfer, states, type Transfer } from '../transfers/transfer.ts';

type Control = (request: RouteRequest, transfer: Transfer) => Promise<Transfer>;

const defaultReason = { return: 'account_closed', fail: 'invalid_account_number' };

/** Null for all that was taken. It may be more: a bank that gives back the wrong amount is worth a test, too. */
function readRefund(body: Fields): bigint | null {
  const microUsdc = body.optionalWholeNumber('refund_micro_usdc', { min: 1, max: 1e12 });
  return microUsdc === null ? null : BigInt(microUsdc);
}

function controls(settleAfterMs: number): Readonly<Record<string, Control>> {
  return {
    forget: async ({ tx }, transfer) => forget(tx, transfer),
    remember: async ({ tx }, transfer) => remember(tx, transfer),
    settle: async ({ tx, at }, transfer) => settle(tx, transfer, at),
    hold: async ({ tx, at, body }, transfer) =>
      hold(tx, transfer, body.choice('state', ['awaiting_funds', 'in_review']), at),
    release: async ({ tx, at }, transfer) => release(tx, transfer, at, settleAfterMs),
    return: async ({ tx, at, body }, transfer) => {
      const reason = body.optionalText('reason') ?? defaultReason.return;
      return returnMoney(tx, transfer, { reason, microUsdc: readRefund(body), at });
    },
    fail: async ({ tx, at, body }, transfer) => {
      const failed = await fail(tx, transfer, body.optionalText('reason') ?? defaultReason.fail, at);
      return body.optionalFlag('refund') ? refund(tx, failed, { microUsdc: null, at }) : failed;
    },
    refund: async ({ tx, at, body }, transfer) => refund(tx, transfer, { microUsdc: readRefund(body), at }),
    // The bank leaves it there: its own next step would undo what was asked for.
    state: async ({ tx, at, body }, transfer) => changeState(tx, transfer, { to: body.choice('state', states), at }),
  };
}

export function transferControlRoutes(settleAfterMs: number): readonly Route[] {
  return Object.entries(controls(settleAfterMs)).map(([name, control]) => ({
    method: 'POST',
    url: `/transfers/:transfer_id/${name}`,
    async perform(request) {
      const transfer = await lockTransfer(request.tx, request.id('transfer_id'));
      return { status: 200, body: describeTransfer(await control(request, transfer)) };
    },
  }));
}
