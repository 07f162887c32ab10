// What proves that closed days of the ledger are as they were: a key and a file that the database does not have.
import { required, settings, type Setting } from '../../platform/configuration/settings.ts';
import type { NightlyDeps } from '../verification/verify-nightly.ts';

export type LedgerProof = Pick<NightlyDeps, 'key' | 'anchorFile'>;

/** Null in development without a key: then no day is closed. */
export function chooseLedgerProof(get: <Value>(setting: Setting<Value>) => Value): LedgerProof | null {
  const isProduction = get(settings.mode) === 'production';
  const key = get<Buffer | null>(isProduction ? required(settings.ledgerKey) : settings.ledgerKey);
  return key === null ? null : { key, anchorFile: get(required(settings.ledgerAnchors)) };
}
