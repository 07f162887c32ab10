/** One environment variable: what it is for, how it is read, and what a person is told when it is wrong. */
export interface Setting<Value> {
  variable: string;
  about: string;
  /** Completes the sentence "VARIABLE must be …". */
  rule: string;
  /** A value that is right. */
  example: string;
  /** The text taken when the variable is not set; without one the variable is required. */
  fallback?: string;
  /** A secret's value is never repeated, not even in the sentence that says it is wrong. */
  secret?: true;
  /** The value, or undefined where the text does not keep to the rule. */
  parse(text: string): Value | undefined;
}

interface Words {
  about: string;
  example: string;
  fallback?: string;
  secret?: true;
}

function oneOf<const Choice extends string>(
  variable: string,
  choices: readonly Choice[],
  words: Words,
): Setting<Choice> {
  return { variable, ...words, rule: `one of ${choices.join(', ')}`, parse: (text) => choices.find((c) => c === text) };
}

function wholeNumber(variable: string, range: { min: number; max: number }, words: Words): Setting<number> {
  return {
    variable,
    ...words,
    rule: `a whole number from ${range.min} to ${range.max}`,
    parse(text) {
      const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
      return value >= range.min && value <= range.max ? value : undefined;
    },
  };
}

function address(variable: string, protocols: readonly string[], words: Words): Setting<string> {
  return {
    variable,
    ...words,
    rule: `an address that starts with ${protocols.map((p) => `${p}//`).join(' or ')} and has no slash at its end`,
    parse(text) {
      const url = URL.parse(text);
      if (url === null || !protocols.includes(url.protocol) || url.hostname === '' || text.endsWith('/'))
        return undefined;
      // As it is normally written: no spaces around it, no capitals in its first part.
      return url.href === text || url.href === `${text}/` ? text : undefined;
    },
  };
}

function matching(variable: string, rule: string, pattern: RegExp, words: Words): Setting<string> {
  return { variable, ...words, rule, parse: (text) => (pattern.test(text) ? text : undefined) };
}

const port = { min: 0, max: 65_535 };
const postgres = ['postgres:', 'postgresql:'];

/** Every setting of every Kelpie process. docs/configuration.md shows the same list; a test keeps the two equal. */
export const settings = {
  mode: oneOf('KELPIE_MODE', ['production', 'development'], {
    about: 'Development allows plain http for the public address and a clock that tests can move.',
    example: 'production',
    fallback: 'production',
  }),
  databaseUrl: address('KELPIE_DATABASE_URL', postgres, {
    about: 'PostgreSQL, as the role kelpie_service. Used by the api and the worker.',
    example: 'postgres://kelpie_service:secret@db.internal:5432/kelpie',
    secret: true,
  }),
  ownerDatabaseUrl: address('KELPIE_OWNER_DATABASE_URL', postgres, {
    about: 'The same database as the role kelpie_owner. Used only by `kelpie migrate`.',
    example: 'postgres://kelpie_owner:secret@db.internal:5432/kelpie',
    secret: true,
  }),
  readerDatabaseUrl: address('KELPIE_READER_DATABASE_URL', postgres, {
    about:
      'The same database as the role kelpie_reader. Used by commands that look at every partner, as `kelpie ledger verify`.',
    example: 'postgres://kelpie_reader:secret@db.internal:5432/kelpie',
    secret: true,
  }),
  databaseConnections: wholeNumber(
    'KELPIE_DATABASE_CONNECTIONS',
    { min: 2, max: 200 },
    {
      about: 'The most connections that one process opens.',
      example: '10',
      fallback: '10',
    },
  ),
  apiHost: matching('KELPIE_API_HOST', 'an IP address or a host name', /^[A-Za-z0-9.:-]{1,255}$/, {
    about: 'The address that the api listens on.',
    example: '127.0.0.1',
    fallback: '127.0.0.1',
  }),
  apiPort: wholeNumber('KELPIE_API_PORT', port, {
    about: 'The port that the api listens on; 0 takes any free one.',
    example: '4000',
    fallback: '4000',
  }),
  publicUrl: address('KELPIE_PUBLIC_URL', ['https:', 'http:'], {
    about: 'The address by which partners reach the api. Production asks for https.',
    example: 'https://api.kelpie.example',
  }),
  metricsHost: matching('KELPIE_METRICS_HOST', 'an IP address or a host name', /^[A-Za-z0-9.:-]{1,255}$/, {
    about: 'The address that metrics are served on. Keep it inside the network.',
    example: '127.0.0.1',
    fallback: '127.0.0.1',
  }),
  metricsPort: wholeNumber('KELPIE_METRICS_PORT', port, {
    about: 'The port that metrics are served on, for Prometheus; 0 takes any free one.',
    example: '9464',
    fallback: '9464',
  }),
  logLevel: oneOf('KELPIE_LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], {
    about: 'The least severe log line that is written.',
    example: 'info',
    fallback: 'info',
  }),
  drainDelayMs: wholeNumber(
    'KELPIE_DRAIN_DELAY_MS',
    { min: 0, max: 8_000 },
    {
      about:
        'After SIGTERM, how long the api says it is not ready while it still serves: the time a load balancer needs.',
      example: '3000',
      fallback: '3000',
    },
  ),
  testClockFile: {
    variable: 'KELPIE_TEST_CLOCK_FILE',
    about: 'A file with the milliseconds by which the clock is shifted. Tests only; production refuses it.',
    rule: 'none, or the whole path of a file',
    example: '/tmp/clock',
    fallback: 'none',
    parse: (text) => (text === 'none' ? null : text.startsWith('/') ? text : undefined),
  } satisfies Setting<string | null>,
};
