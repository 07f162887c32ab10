/** Where `npm run e2e` has everything. */
function named(variable: string): string {
  const value = process.env[variable];
  if (value === undefined) throw new Error(`${variable} is not set: start these tests by npm run e2e`);
  return value;
}

export const stack = {
  get url() {
    return named('E2E_URL');
  },
  get mailUrl() {
    return named('E2E_MAIL_URL');
  },
  get bankUrl() {
    return named('E2E_BANK_URL');
  },
  get liveBankUrl() {
    return named('E2E_LIVE_BANK_URL');
  },
  get databaseUrl() {
    return named('E2E_DATABASE_URL');
  },
  /** A file with the settings of the operator's command. */
  get operatorEnvFile() {
    return named('E2E_OPERATOR_ENV_FILE');
  },
};
