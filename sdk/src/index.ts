// The face of @kelpie/sdk. What is not named here is not promised to anybody.
export { createKelpie } from './client.ts';
export {
  errorCodes,
  KelpieError,
  KelpieUnreachable,
  type ErrorCode,
  type FieldProblem,
  type KnownErrorCode,
  type Shortfall,
  type UnreachableReason,
} from './errors.ts';
export type {
  CreatedPayout,
  CreatePayoutOptions,
  Kelpie,
  KelpieOptions,
  Listing,
  StatementPage,
  StatementQuery,
} from './kelpie.ts';
export type { Page } from './pages.ts';
export { parseKelpieError, type CallOptions } from './request.ts';
export type * from './resources.ts';
