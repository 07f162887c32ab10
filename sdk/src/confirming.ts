import type { CallOptions } from './request.ts';

/** What a call takes that a person may have to confirm. */
export interface ConfirmOptions extends CallOptions {
  /** The code that was emailed after `confirmation_required`. It confirms this very call: repeat it unchanged. */
  confirmCode?: string | undefined;
}

/** The code goes in the body, because addresses are logged. */
export function confirmed<Body extends object>(body: Body, { confirmCode, ...options }: ConfirmOptions = {}) {
  return { ...options, body: confirmCode === undefined ? body : { ...body, confirm_code: confirmCode } };
}

/** A call without a body of its own has one only to carry the code. */
export function confirmedAlone({ confirmCode, ...options }: ConfirmOptions = {}) {
  return confirmCode === undefined ? options : { ...options, body: { confirm_code: confirmCode } };
}
