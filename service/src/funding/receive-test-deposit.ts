import { setTimeout as wait } from 'node:timers/promises';
import { controlUnavailable, requireControls, type SandboxControls, type TestDeposit } from '../banks/index.ts';
import { ApiError } from '../platform/api-error.ts';
import { inTransaction, type PartnerContext } from '../platform/database/transaction.ts';
import type { ShownDeposit } from './deposit.ts';
import type { FundingDeps } from './deps.ts';
import { findByBankId } from './deposit-store.ts';
import { openSender } from './encrypted-details.ts';
import type { ListedDeposit } from './list-deposits.ts';
import { readSource } from './read-source.ts';
import { findSourceOf } from './source-store.ts';

export interface TestDepositDeps extends FundingDeps {
  /** Null where the bank is the provider's own sandbox. */
  controls: SandboxControls | null;
}

/** Less than a request may take in all. */
const patienceMs = 6_000;
const pauseMs = 100;

function notAnswered(internal: string): ApiError {
  const message = 'The sandbox bank did not answer in time. List top-ups before you retry: it may have been received.';
  return new ApiError({ code: 'unavailable', message, internal, retryAfterSeconds: 1 });
}

/** Test money arrives at the bank, and is credited by the same steps as any top-up. */
export async function receiveTestDeposit(
  deps: TestDepositDeps,
  of: PartnerContext,
  { method, amount }: Pick<TestDeposit, 'method' | 'amount'>,
): Promise<ListedDeposit> {
  const giveUpAt = performance.now() + patienceMs;
  const source = await inTransaction(deps.pool, of, async (tx) => findSourceOf(tx, method));
  if (source === null) throw controlUnavailable('no_bank');
  const controls = requireControls(deps.controls, { hasBank: true });
  const received = await controls.receiveDeposit({ method, amount, sourceId: source.sourceId });
  if (received.kind === 'failed') throw notAnswered(received.text);
  const { partnerId, environment } = of;
  for (;;) {
    // A worker may read it too: whoever is slower finds it credited.
    await readSource(deps, { id: source.id, partnerId, environment });
    const deposit = await inTransaction(deps.pool, of, async (tx) => findByBankId(tx, of, received.depositId));
    if (deposit?.state === 'credited') return { deposit, sender: senderOf(deps, deposit) };
    if (performance.now() > giveUpAt) throw notAnswered('a test deposit is not credited');
    await wait(pauseMs);
  }
}

function senderOf({ encryptor }: FundingDeps, { id, senderEncrypted }: ShownDeposit): ListedDeposit['sender'] {
  return senderEncrypted === null ? null : openSender(encryptor, id, senderEncrypted);
}
