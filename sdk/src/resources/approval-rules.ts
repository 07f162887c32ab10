import type { Calls, Reading } from '../calls.ts';
import { confirmed, type ConfirmOptions } from '../confirming.ts';
import type { Schema } from '../described-api.ts';
import type { CallOptions } from '../request.ts';

export interface ApprovalRules extends Schema<'ApprovalRules'> {}
export interface UpdateApprovalRulesRequest extends Schema<'UpdateApprovalRulesRequest'> {}

/** Which payouts another admin has to approve. Changing them is for an admin who is signed in, and takes a code. */
export interface ApprovalRulesResource extends Reading<ApprovalRules> {
  /** Tighter rules hold at once. Looser ones wait in `pending` for another admin. What is left out stays as it is. */
  update(body: UpdateApprovalRulesRequest, options?: ConfirmOptions): Promise<ApprovalRules>;
  /** Applies the looser rules that another admin asked for. */
  approve(options?: ConfirmOptions): Promise<ApprovalRules>;
  /** Drops them. Takes no code. */
  decline(options?: CallOptions): Promise<ApprovalRules>;
}

export default function createApprovalRules({ call, reading }: Calls): ApprovalRulesResource {
  return {
    ...reading('/v1/approval-rules'),
    update: async (body, options) => (await call('patch', '/v1/approval-rules', confirmed(body, options))).json,
    approve: async (options) => (await call('post', '/v1/approval-rules/approve', confirmed({}, options))).json,
    decline: async (options) => (await call('post', '/v1/approval-rules/decline', { ...options })).json,
  };
}
