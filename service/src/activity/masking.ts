type Environment = 'sandbox' | 'live';

interface Masked {
  environment: Environment | null;
  by: string;
  detail: string | null;
}

/** What stands for a value that the caller may not see. */
const hidden = 'hidden';

/**
 * A sandbox key is copied to test systems and laptops. It shows that something was done in live or to the whole account, but
 * not who did it or to what: that would name the admins and the live keys to attack.
 */
export function isMasked(
  { via, environment }: { via: 'api' | 'dashboard'; environment: Environment },
  row: Pick<Masked, 'environment'>,
): boolean {
  return via === 'api' && environment === 'sandbox' && row.environment !== 'sandbox';
}

export function maskedFor<Row extends Masked>(caller: Parameters<typeof isMasked>[0], row: Row): Row {
  return isMasked(caller, row) ? { ...row, by: hidden, detail: row.detail === null ? null : hidden } : row;
}
