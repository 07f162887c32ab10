import type { Calls } from '../calls.ts';
import type { Schema } from '../described-api.ts';
import type { CallOptions } from '../request.ts';
import type { Deposit } from './deposits.ts';
import type { Payout } from './payouts.ts';

export interface SandboxFailRequest extends Schema<'SandboxFailRequest'> {}
export interface SandboxReturnRequest extends Schema<'SandboxReturnRequest'> {}
export interface SandboxDepositRequest extends Schema<'SandboxDepositRequest'> {}
export interface SandboxBankRequest extends Schema<'SandboxBankRequest'> {}
export interface SandboxBank extends Schema<'SandboxBank'> {}

/** Drives the sandbox: `sandbox_only` with a live key, `sandbox_control_unavailable` where the bank can't be driven. */
export interface SandboxResource {
  /** One step nearer to its end: pending → processing → completed. A held one is completed. */
  advancePayout(id: string, options?: CallOptions): Promise<Payout>;
  /** Fails with the `failure_code`, by default `account_not_found`. Its money is back in the wallet. */
  failPayout(id: string, body?: SandboxFailRequest, options?: CallOptions): Promise<Payout>;
  /** Returned with the `failure_code`, by default `account_closed`. One on its way is completed first. */
  returnPayout(id: string, body?: SandboxReturnRequest, options?: CallOptions): Promise<Payout>;
  /** Stays `processing` until you advance, fail, return or cancel it. */
  holdPayout(id: string, options?: CallOptions): Promise<Payout>;
  /** Test money, credited when this returns. Not idempotent. */
  createDeposit(body: SandboxDepositRequest, options?: CallOptions): Promise<Deposit>;
  /** What the bank answers to your next payment orders. */
  setBank(body: SandboxBankRequest, options?: CallOptions): Promise<SandboxBank>;
}

export default function createSandbox({ call }: Calls): SandboxResource {
  return {
    advancePayout: async (id, options) =>
      (await call('post', '/v1/sandbox/payouts/{id}/advance', { ...options, path: { id } })).json,
    failPayout: async (id, body = {}, options) =>
      (await call('post', '/v1/sandbox/payouts/{id}/fail', { ...options, path: { id }, body })).json,
    returnPayout: async (id, body = {}, options) =>
      (await call('post', '/v1/sandbox/payouts/{id}/return', { ...options, path: { id }, body })).json,
    holdPayout: async (id, options) =>
      (await call('post', '/v1/sandbox/payouts/{id}/hold', { ...options, path: { id } })).json,
    createDeposit: async (body, options) => (await call('post', '/v1/sandbox/deposits', { ...options, body })).json,
    setBank: async (body, options) => (await call('post', '/v1/sandbox/bank', { ...options, body })).json,
  };
}
