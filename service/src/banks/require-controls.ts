import { ApiError } from '../platform/api-error.ts';
import type { SandboxControls } from './port/sandbox-controls.ts';

const messages = {
  no_bank:
    'No sandbox bank is connected here yet. That takes up to a minute for a new account, and payouts from before stay without one.',
  not_ours: "The bank behind this sandbox is the provider's own sandbox. It cannot be driven.",
} as const;

export function controlUnavailable(why: keyof typeof messages): ApiError {
  return new ApiError({ code: 'sandbox_control_unavailable', message: messages[why] });
}

/** The controls of the bank behind a sandbox rail. */
export function requireControls(controls: SandboxControls | null, { hasBank }: { hasBank: boolean }): SandboxControls {
  if (!hasBank) throw controlUnavailable('no_bank');
  if (controls === null) throw controlUnavailable('not_ours');
  return controls;
}
