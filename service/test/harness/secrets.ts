/** The secrets of every process that a test starts. */
export const testSecrets = {
  KELPIE_API_KEY_PEPPER: 'a1'.repeat(32),
  KELPIE_DATA_KEYS: `1:${'b2'.repeat(32)}`,
  KELPIE_INDEX_KEY: 'c3'.repeat(32),
  KELPIE_ROW_KEY: 'e5'.repeat(32),
  KELPIE_AUDIT_KEY: 'd4'.repeat(32),
};
