import type { Calls, Reading } from '../calls.ts';
import { confirmed, type ConfirmOptions } from '../confirming.ts';
import type { Schema } from '../described-api.ts';

export interface Limits extends Schema<'Limits'> {}
export interface UpdateLimitsRequest extends Schema<'UpdateLimitsRequest'> {}

/** How much can be paid per day, London time, and how much of it is left. */
export interface LimitsResource extends Reading<Limits> {
  /** For an admin who is signed in. Takes a code. What is left out stays as it is. */
  update(body: UpdateLimitsRequest, options?: ConfirmOptions): Promise<Limits>;
}

export default function createLimits({ call, reading }: Calls): LimitsResource {
  return {
    ...reading('/v1/limits'),
    update: async (body, options) => (await call('patch', '/v1/limits', confirmed(body, options))).json,
  };
}
