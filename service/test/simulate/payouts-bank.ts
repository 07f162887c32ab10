import { listAt, textAt } from '@kelpie/dev/json.ts';
import type { SandboxBank } from '@kelpie/sandbox-bank/test/harness.ts';
import { sendUsdc } from '@kelpie/sandbox-bank/test/topping-up.ts';
import { orderIdOf } from '../../src/payouts/model/order.ts';
import type { TestPartner } from '../harness/partners.ts';
import { createLane } from './lane.ts';
import type { BankFault, Order, PlannedEvent } from './payouts-plan.ts';
import type { Tally } from './tally.ts';

/** The bank in a simulation: what it is made to do, one thing after the other, also while it is being restarted. */
export interface RestlessBank {
  spoil(fault: BankFault): void;
  deliver(mode: Extract<PlannedEvent, { kind: 'webhooks' }>['mode']): void;
  act(event: Pick<Extract<PlannedEvent, { kind: 'act' }>, 'act' | 'order' | 'body'>, then?: () => void): void;
  /** The poor partner tops up; the oldest top-up is taken back. */
  topUp(): void;
  takeBack(): void;
  kill(): void;
  /** No more faults, every webhook is delivered, what was held or forgotten goes on, and debts are paid. */
  heal(): Promise<void>;
}

/** What has to be undone at the end, where the plan did not. */
const undoneBy = new Map([
  ['hold', 'release'],
  ['forget', 'remember'],
]);

interface BankDeps {
  bank: SandboxBank;
  partners: readonly TestPartner[];
  /** Where the poor partner sends USDC; null where it tops up nothing. */
  addressId: string | null;
  tally: Tally;
}

/** About what the poor partner spends in some seconds, and more than it can owe. */
const topUpUsdc = '20.01';
const repaymentUsdc = '5000.01';

export function createRestlessBank({ bank, partners, addressId, tally }: BankDeps): RestlessBank {
  const lane = createLane();
  const topUps: string[] = [];
  const toUndo: string[] = [];

  const transferOf = async ({ partner, key }: Order): Promise<string | undefined> => {
    const partnerEnvironment = partners[partner];
    if (partnerEnvironment === undefined) throw new Error('an order of nobody');
    const record = await bank.control(`GET /record?client_reference_id=${orderIdOf(partnerEnvironment, key)}`);
    const [payment] = listAt(record, 'payments');
    return payment === undefined ? undefined : textAt(payment, 'transfer_id');
  };
  /** Whether the bank did it: a transfer does not take every act in every state. */
  const wasDone = async (path: string, body: object = {}): Promise<boolean> =>
    bank.control(path, body).then(
      () => true,
      (error: unknown) => {
        if (String(error).includes('invalid_state')) return false;
        throw error;
      },
    );

  return {
    spoil(fault) {
      lane.add(async () => bank.control('/faults', fault));
      tally.add('faults');
    },
    deliver(mode) {
      lane.add(async () => bank.control('/webhooks', { mode }));
    },
    act({ act, order, body }, then) {
      lane.add(async () => {
        const id = await transferOf(order);
        const done = id !== undefined && (await wasDone(`/transfers/${id}/${act}`, body));
        tally.add(done ? `bank_${act}` : 'bank_acts_in_vain');
        const undoing = undoneBy.get(act);
        if (done && undoing !== undefined) toUndo.push(`/transfers/${id}/${undoing}`);
        if (done) then?.();
      });
    },
    topUp() {
      tally.add('top_ups');
      if (addressId !== null) lane.add(async () => topUps.push(await sendUsdc(bank, addressId, topUpUsdc)));
    },
    takeBack() {
      lane.add(async () => {
        const id = topUps.shift();
        const done = id !== undefined && (await wasDone(`/deposits/${id}/refund`));
        tally.add(done ? 'top_ups_taken_back' : 'bank_acts_in_vain');
      });
    },
    kill() {
      tally.add('kills_bank');
      lane.add(async () => {
        bank.child.kill('SIGKILL');
        await bank.restart();
      });
    },
    async heal() {
      lane.add(async () => bank.control('DELETE /faults'));
      lane.add(async () => bank.control('/webhooks', { mode: 'normal' }));
      if (addressId !== null) lane.add(async () => sendUsdc(bank, addressId, repaymentUsdc));
      await lane.finish();
      for (const path of toUndo) await wasDone(path);
    },
  };
}
