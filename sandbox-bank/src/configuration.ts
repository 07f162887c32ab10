/** Its message is for the person who started the bank. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

const modes = ['sandbox', 'live-stand-in'] as const;
const logLevels = ['info', 'silent'] as const;

/** A sandbox rejects accounts that end in 0000; the stand-in for the live bank takes them, and has its minimum. */
export type Mode = (typeof modes)[number];

export interface Configuration {
  databaseUrl: string;
  port: number;
  apiKey: string;
  mode: Mode;
  settleAfterMs: number;
  log: (typeof logLevels)[number];
}

interface Setting<Value> {
  /** Completes "It must be …". */
  rule: string;
  fallback?: string;
  parse(text: string): Value | undefined;
}

function oneOf<const Choice extends string>(choices: readonly Choice[], fallback: Choice): Setting<Choice> {
  return { rule: `one of ${choices.join(', ')}`, fallback, parse: (text) => choices.find((choice) => choice === text) };
}

function wholeNumber(max: number, fallback: string): Setting<number> {
  return {
    rule: `a whole number from 0 to ${max}`,
    fallback,
    parse: (text) => (/^\d{1,9}$/.test(text) && Number(text) <= max ? Number(text) : undefined),
  };
}

const databaseUrl: Setting<string> = {
  rule: 'the URL of a database that its role owns, for example postgres://kelpie_owner@127.0.0.1:5432/sandbox_bank',
  parse: (text) => (/^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? '') ? text : undefined),
};
const apiKey: Setting<string> = {
  rule: '1 to 200 visible characters',
  fallback: 'sk-test-kelpie',
  parse: (text) => (/^[!-~]{1,200}$/.test(text) ? text : undefined),
};

/** Values are never printed, because two of them are secrets. */
function get<Value>(env: NodeJS.ProcessEnv, variable: string, setting: Setting<Value>): Value {
  const given = env[variable];
  const text = given === undefined || given === '' ? setting.fallback : given;
  const value = text === undefined ? undefined : setting.parse(text);
  if (value !== undefined) return value;
  throw new ConfigurationError(
    `${variable} is ${text === undefined ? 'not set' : 'invalid'}. It must be ${setting.rule}.`,
  );
}

export function readConfiguration(env: NodeJS.ProcessEnv): Configuration {
  return {
    databaseUrl: get(env, 'BANK_DATABASE_URL', databaseUrl),
    port: get(env, 'BANK_PORT', wholeNumber(65_535, '4001')),
    apiKey: get(env, 'BANK_API_KEY', apiKey),
    mode: get(env, 'BANK_MODE', oneOf(modes, 'sandbox')),
    settleAfterMs: get(env, 'BANK_SETTLE_AFTER_MS', wholeNumber(86_400_000, '3000')),
    log: get(env, 'BANK_LOG', oneOf(logLevels, 'info')),
  };
}
