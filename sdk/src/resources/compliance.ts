import type { Calls, Reading } from '../calls.ts';
import type { Schema } from '../described-api.ts';
import type { CallOptions } from '../request.ts';

export interface Compliance extends Schema<'Compliance'> {}

export interface ComplianceResource extends Reading<Compliance> {
  /** Starts the verification of the business, or looks at it again. For an admin who is signed in. Safe to repeat. */
  startVerification(options?: CallOptions): Promise<Compliance>;
}

export default function createCompliance({ call, reading }: Calls): ComplianceResource {
  return {
    ...reading('/v1/compliance'),
    startVerification: async (options) => (await call('post', '/v1/compliance/verification', { ...options })).json,
  };
}
