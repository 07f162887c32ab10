import type { Kelpie } from '../../index.ts';
import { CommandError } from '../command-error.ts';
import { connectKelpie, readSettings } from '../settings.ts';

/** A live key is refused before anything is sent. */
export function connectSandbox(): Kelpie {
  const settings = readSettings();
  if (settings.environment === 'sandbox') return connectKelpie(settings);
  const message = 'This command moves test money, so it needs a sandbox key. Nothing was sent.';
  throw new CommandError('refused', 'sandbox_only', message);
}

/** Why a payout can fail. */
export const failureCodes = [
  'account_not_found',
  'account_closed',
  'account_blocked',
  'name_mismatch',
  'regulatory',
  'bank_rejected_details',
  'unknown',
] as const;

/** Why a payout can be returned. */
export const returnCodes = [...failureCodes, 'recipient_declined', 'recalled'] as const;
