import type { Caller } from '../../http/auth/caller.ts';

const hiddenPrefix = 'kp_live_';

interface ShownKey {
  environment: 'sandbox' | 'live';
  key_prefix: string;
  label: string | null;
  networks: string[];
  previous_key_prefix: string | null;
}

/**
 * A sandbox key is copied to test systems. It learns that a live key exists, but not how it is called or where it works: the
 * prefix ends where the digits begin.
 */
export function hideLiveKey<Key extends ShownKey>({ via, environment }: Caller, key: Key): Key {
  if (via !== 'api' || environment !== 'sandbox' || key.environment === 'sandbox') return key;
  const previous = key.previous_key_prefix === null ? null : hiddenPrefix;
  return { ...key, key_prefix: hiddenPrefix, label: null, networks: [], previous_key_prefix: previous };
}
