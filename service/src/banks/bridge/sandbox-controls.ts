import type { Agent } from 'undici';
import { formatExactUsdc, formatPounds } from '../../money/amounts.ts';
import { exchange, type HttpExchange } from '../http-exchange.ts';
import type { PaymentFailure } from '../port/payments.ts';
import type { ControlOutcome, SandboxControls, TestDeposit } from '../port/sandbox-controls.ts';
import { bankErrorFrom, describeAnswer, isSuccess } from './answers.ts';
import { parseJson, textAt, valueAt } from './wire-values.ts';

/** A caller waits for several of them, one after the other. */
const timeoutMs = 2_000;

/** The bank's word for each failure: what `mapping.ts` reads it from. */
const reasons: Readonly<Record<PaymentFailure, string>> = {
  account_not_found: 'account_not_found',
  account_closed: 'account_closed',
  account_blocked: 'account_blocked',
  name_mismatch: 'name_mismatch',
  recipient_declined: 'recipient_declined',
  recalled: 'recalled',
  regulatory: 'regulatory',
  bank_rejected_details: 'rejected_by_bank_provider',
  unknown: 'unspecified',
};

function outcomeOf(answer: HttpExchange): ControlOutcome {
  if (isSuccess(answer)) return { kind: 'done' };
  return bankErrorFrom(answer)?.code === 'invalid_state'
    ? { kind: 'refused' }
    : { kind: 'failed', text: describeAnswer(answer) };
}

function depositBody({ method, sourceId, amount }: TestDeposit): object {
  return method === 'bank_transfer'
    ? { virtual_account_id: sourceId, amount_gbp: formatPounds(amount), sender_name: 'Test sender' }
    : { liquidation_address_id: sourceId, amount_usdc: formatExactUsdc(amount) };
}

/** The first payment of the bank's record for an order; null where there is none, undefined where it can't be read. */
function paymentIn(answer: HttpExchange): string | null | undefined {
  const payments = isSuccess(answer) ? valueAt(parseJson(answer.body), 'payments') : undefined;
  if (!Array.isArray(payments)) return undefined;
  return payments.length === 0 ? null : textAt(payments[0], 'transfer_id');
}

/** The controls of the sandbox bank, which needs no key for them. They pass neither the circuit nor the limit of its other calls. */
export function createSandboxControls(agent: Agent, url: string): SandboxControls {
  const { origin, pathname } = new URL(url);
  const prefix = pathname.replace(/\/$/, '');
  const get = async (path: string): Promise<HttpExchange> =>
    exchange(agent, { method: 'GET', origin, path: prefix + path, headers: {}, timeoutMs });
  const post = async (path: string, body: object = {}): Promise<HttpExchange> =>
    exchange(agent, {
      method: 'POST',
      origin,
      path: prefix + path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      timeoutMs,
    });
  const act = async (paymentId: string, name: string, body?: object): Promise<ControlOutcome> =>
    outcomeOf(await post(`/transfers/${encodeURIComponent(paymentId)}/${name}`, body));
  return {
    async revealPayment(ourReference) {
      const record = await get(`/record?client_reference_id=${encodeURIComponent(ourReference)}`);
      const paymentId = paymentIn(record);
      if (paymentId === null) return { kind: 'absent' };
      if (paymentId === undefined) return { kind: 'failed', text: describeAnswer(record) };
      const revealed = await act(paymentId, 'remember');
      return revealed.kind === 'done' ? { kind: 'found', paymentId } : { kind: 'failed', text: 'not revealed' };
    },
    settlePayment: async (id) => act(id, 'settle'),
    failPayment: async (id, failure) => act(id, 'fail', { reason: reasons[failure], refund: true }),
    returnPayment: async (id, failure) => act(id, 'return', { reason: reasons[failure] }),
    holdPayment: async (id) => act(id, 'hold', { state: 'awaiting_funds' }),
    async receiveDeposit(deposit) {
      const received = await post('/deposits', depositBody(deposit));
      const depositId = isSuccess(received) ? textAt(parseJson(received.body), 'id') : undefined;
      if (depositId === undefined) return { kind: 'failed', text: describeAnswer(received) };
      const settled = await post(`/deposits/${encodeURIComponent(depositId)}/settle`);
      return isSuccess(settled) ? { kind: 'done', depositId } : { kind: 'failed', text: describeAnswer(settled) };
    },
  };
}
