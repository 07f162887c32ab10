import { isIP } from 'node:net';
import { isMailAddress, parseSender, type MailSender } from './mail-address.ts';
import { parseRelay, type MailRelay } from './relay-address.ts';

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

function secretKey(variable: string, words: Pick<Words, 'about'>): Setting<Buffer> {
  return {
    variable,
    ...words,
    rule: '64 hexadecimal digits, which are 32 bytes',
    example: '0123456789abcdef'.repeat(4),
    secret: true,
    parse: (text) => (/^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : undefined),
  };
}

function versionedKeys(variable: string, words: Pick<Words, 'about'>): Setting<ReadonlyMap<number, Buffer>> {
  const keyForm = /^([1-9]\d{0,2}):([0-9a-f]{64})$/;
  return {
    variable,
    ...words,
    rule: 'one key or several, separated by commas, each a version from 1 to 255, a colon and 64 hexadecimal digits',
    example: `1:${'0123456789abcdef'.repeat(4)}`,
    secret: true,
    parse(text) {
      const keys = text.split(',').map((part) => keyForm.exec(part));
      const pairs = keys.map((key): [number, Buffer] => [Number(key?.[1]), Buffer.from(key?.[2] ?? '', 'hex')]);
      const versions = new Map(pairs);
      const right = pairs.every(([version]) => version <= 255) && versions.size === pairs.length;
      return right ? versions : undefined;
    },
  };
}

/** A setting that may be left out, with all that hangs on it. */
function optional<Value>(setting: Setting<Value>): Setting<Value | null> {
  return {
    ...setting,
    rule: `none, or ${setting.rule}`,
    fallback: 'none',
    parse: (text) => (text === 'none' ? null : setting.parse(text)),
  };
}

/** The same setting without a value to fall back on, nor `none`: what production has to have. */
export function required<Value>(setting: Setting<Value | null>): Setting<Value> {
  const { fallback: _, rule, ...rest } = setting;
  return { ...rest, rule: rule.replace(/^none, or /, ''), parse: (text) => setting.parse(text) ?? undefined };
}

/** Where one environment's bank is, how we sign in there, and how we know its webhooks. */
function bankSettings(environment: 'SANDBOX' | 'LIVE', which: string, example: { url: string; apiKey: string }) {
  return {
    url: optional(
      address(`KELPIE_${environment}_BANK_URL`, ['https:', 'http:'], {
        about: `The address of ${which}. Without it, that rail carries nothing.`,
        example: example.url,
      }),
    ),
    apiKey: optional(
      matching(`KELPIE_${environment}_BANK_API_KEY`, '1 to 200 visible characters', /^[!-~]{1,200}$/, {
        about: `The key by which ${which} knows us.`,
        example: example.apiKey,
        secret: true,
      }),
    ),
    webhookKey: optional<string>({
      variable: `KELPIE_${environment}_BANK_WEBHOOK_KEY`,
      about: `The public key of the webhooks of ${which}. Without it they are refused, and asking the bank has to do.`,
      rule: 'a public key in PEM, with \\n between its lines',
      example: '-----BEGIN PUBLIC KEY-----\\nMIIBIjANBg…\\n-----END PUBLIC KEY-----',
      parse: (text) =>
        /^-----BEGIN PUBLIC KEY-----.*-----END PUBLIC KEY-----(\\n|\s)*$/s.test(text)
          ? text.replaceAll('\\n', '\n')
          : undefined,
    }),
  };
}

const port = { min: 0, max: 65_535 };
const postgres = ['postgres:', 'postgresql:'];

const sandboxBank = bankSettings('SANDBOX', "the bank's sandbox", {
  url: 'https://api.sandbox.bridge.xyz/v0',
  apiKey: 'sk-test-secret',
});
const liveBank = bankSettings('LIVE', 'the bank itself', {
  url: 'https://api.bridge.xyz/v0',
  apiKey: 'sk-live-secret',
});

const rate = { min: 1, max: 1_000_000 };

const bitsOf = new Map([
  [4, 32],
  [6, 128],
]);

/** An address, or an address, a slash and how many of its bits count. */
function isNetwork(text: string): boolean {
  const [, ip = '', bits] = /^([^/]+)(?:\/([1-9]\d{0,2}))?$/.exec(text) ?? [];
  return Number(bits ?? 1) <= (bitsOf.get(isIP(ip)) ?? 0);
}

function networks(variable: string, words: Words): Setting<readonly string[]> {
  return {
    variable,
    ...words,
    rule: 'IP addresses and networks, separated by commas',
    parse(text) {
      const deps = text.split(',');
      return deps.every(isNetwork) ? deps : undefined;
    },
  };
}

interface PayToAccount {
  name: string;
  sortCode: string;
  accountNumber: string;
}

export const operatorRule = '1 to 80 letters, digits, and @ . _ + -';
const operatorForm = /^[A-Za-z0-9@._+-]{1,80}$/;

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
    about: 'The same database as the role kelpie_owner. Used only by `kelpie-admin migrate`.',
    example: 'postgres://kelpie_owner:secret@db.internal:5432/kelpie',
    secret: true,
  }),
  readerDatabaseUrl: address('KELPIE_READER_DATABASE_URL', postgres, {
    about:
      'The same database as the role kelpie_reader. Used by commands that look at every partner, as `kelpie-admin ledger verify`.',
    example: 'postgres://kelpie_reader:secret@db.internal:5432/kelpie',
    secret: true,
  }),
  operatorDatabaseUrl: address('KELPIE_OPERATOR_DATABASE_URL', postgres, {
    about:
      'The same database as the role kelpie_operator. Used by commands that change something, as `kelpie-admin partners suspend`.',
    example: 'postgres://kelpie_operator:secret@db.internal:5432/kelpie',
    secret: true,
  }),
  databaseConnections: wholeNumber(
    'KELPIE_DATABASE_CONNECTIONS',
    { min: 2, max: 200 },
    {
      about: 'The most connections that one process opens, besides one or two for its jobs.',
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
  trustedProxies: optional(
    networks('KELPIE_TRUSTED_PROXIES', {
      about:
        'The load balancers before the api: only from them is X-Forwarded-For believed, and limits by address count whom it names.',
      example: '10.0.0.0/8,fd00::1',
    }),
  ),
  requestsPerSecond: wholeNumber('KELPIE_REQUESTS_PER_SECOND', rate, {
    about: 'How many requests an API key may make each second, over all api processes.',
    example: '100',
    fallback: '100',
  }),
  requestsBurst: wholeNumber('KELPIE_REQUESTS_BURST', rate, {
    about: 'How many requests an API key may make at once, after a pause.',
    example: '200',
    fallback: '200',
  }),
  payoutsPerSecond: wholeNumber('KELPIE_PAYOUTS_PER_SECOND', rate, {
    about: 'How many payouts an API key may ask for each second.',
    example: '25',
    fallback: '25',
  }),
  payoutsBurst: wholeNumber('KELPIE_PAYOUTS_BURST', rate, {
    about: 'How many payouts an API key may ask for at once, after a pause.',
    example: '100',
    fallback: '100',
  }),
  openRequestsPerMinute: wholeNumber('KELPIE_OPEN_REQUESTS_PER_MINUTE', rate, {
    about: 'How many requests without a good API key one address may make each minute.',
    example: '300',
    fallback: '300',
  }),
  invitationsPerDay: wholeNumber('KELPIE_INVITATIONS_PER_DAY', rate, {
    about: 'How many people a partner may invite at once, and then each day: each is mailed.',
    example: '50',
    fallback: '50',
  }),
  apiKeyPepper: secretKey('KELPIE_API_KEY_PEPPER', {
    about: 'With this, API keys become what the database keeps of them. To change it is to revoke every key.',
  }),
  dataKeys: versionedKeys('KELPIE_DATA_KEYS', {
    about:
      "Encrypt recipients' bank details, and mails until they are sent. The highest version encrypts; the others still decrypt.",
  }),
  indexKey: secretKey('KELPIE_INDEX_KEY', {
    about: 'Makes the digests by which the same account, and the same request, are known again. It can not be changed.',
  }),
  auditKey: secretKey('KELPIE_AUDIT_KEY', {
    about:
      'Chains the rows of the operators’ log. Only `kelpie-admin` needs it: keep it from the api, the worker and the database. It can not be changed.',
  }),
  auditAnchors: optional<string>({
    variable: 'KELPIE_AUDIT_ANCHORS',
    about:
      'A file outside the database that every act adds its row’s number and digest to, and that `kelpie-admin audit verify` holds the log against. By this alone a tail shows that was cut off together with the note of where the log ends.',
    rule: 'the whole path of a file',
    example: '/var/lib/kelpie/audit-anchors',
    parse: (text) => (text.startsWith('/') ? text : undefined),
  }),
  operator: optional(
    matching('KELPIE_OPERATOR', operatorRule, operatorForm, {
      about: 'Who does what `kelpie-admin` changes, where `--operator` does not say so.',
      example: 'ada@kelpie.example',
    }),
  ),
  sandboxBankUrl: sandboxBank.url,
  sandboxBankApiKey: sandboxBank.apiKey,
  sandboxBankWebhookKey: sandboxBank.webhookKey,
  liveBankUrl: liveBank.url,
  liveBankApiKey: liveBank.apiKey,
  liveBankWebhookKey: liveBank.webhookKey,
  smtpUrl: optional<MailRelay>({
    variable: 'KELPIE_SMTP_URL',
    about:
      'The relay that takes our mails. smtps:// speaks TLS from the first byte; smtp:// asks for it, and in production insists. With none, mails wait; a worker in production does not start without one.',
    rule: 'an address as smtps://user:password@host:port or smtp://…, without anything after the port, and with special characters of the password as %40',
    example: 'smtps://kelpie:secret@mail.internal:465',
    secret: true,
    parse: parseRelay,
  }),
  mailFrom: optional<MailSender>({
    variable: 'KELPIE_MAIL_FROM',
    about:
      'Whom mails are from. The ids of mails end with its domain. In production it is needed, and by a worker that has a relay.',
    rule: 'an address, or a name and an address in angle brackets',
    example: 'Kelpie <no-reply@kelpie.example>',
    parse: parseSender,
  }),
  supportEmail: optional<string>({
    variable: 'KELPIE_SUPPORT_EMAIL',
    about:
      'Where people write for help. Errors, emails, the dashboard and the discovery endpoint show it. Required in production; elsewhere it defaults to support@kelpie.example.',
    rule: 'an email address',
    example: 'support@kelpie.example',
    parse: (text) => (isMailAddress(text) ? text : undefined),
  }),
  dashboardUrl: optional(
    address('KELPIE_DASHBOARD_URL', ['https:', 'http:'], {
      about:
        'The address of the dashboard, where that is not the one that the api serves itself; it then passes /v1 on to the api. Only its pages may use a session, mails lead there, and the bank sends people back there. Without it that is /dashboard at KELPIE_PUBLIC_URL, and mails that a worker posts have no link.',
      example: 'https://dashboard.kelpie.example',
    }),
  ),
  invoiceFrom: {
    variable: 'KELPIE_INVOICE_FROM',
    about: 'Who sends invoices, as it stands on them: our name, then the address and how we are reached.',
    rule: '1 to 6 lines of up to 60 characters, separated by semicolons',
    example: 'Kelpie Payouts Ltd; 1 Harbour Street; Edinburgh EH6 6AA; billing@kelpie.example',
    fallback: 'Kelpie',
    parse(text) {
      const lines = text.split(';').map((line) => line.trim());
      return lines.length <= 6 && lines.every((line) => /^[^\p{C}]{1,60}$/u.test(line)) ? lines : undefined;
    },
  } satisfies Setting<string[]>,
  invoicePayTo: optional<PayToAccount>({
    variable: 'KELPIE_INVOICE_PAY_TO',
    about: 'The account that invoices are paid to. Without it, they say to pay as was agreed.',
    rule: "an account's name, its sort code and its number, separated by semicolons",
    example: 'Kelpie Payouts Ltd; 040004; 12345678',
    parse(text) {
      const [, name, sortCode, accountNumber] = /^([^;\p{C}]{1,60}); *(\d{6}); *(\d{8})$/u.exec(text) ?? [];
      if (name === undefined || sortCode === undefined || accountNumber === undefined) return undefined;
      return { name: name.trim(), sortCode, accountNumber };
    },
  }),
  testFailpoint: {
    variable: 'KELPIE_TEST_FAILPOINT',
    about: 'Where the process kills itself, and at which arrival there. Tests only; production refuses it.',
    rule: 'none, or a point in the code, an asterisk and a whole number',
    example: 'bank.send_payment.after*1',
    fallback: 'none',
    parse(text) {
      const [, point, arrivals] = /^([a-z_.]+)\*([1-9]\d{0,3})$/.exec(text) ?? [];
      if (text === 'none') return null;
      return point === undefined ? undefined : { point, arrivals: Number(arrivals) };
    },
  } satisfies Setting<{ point: string; arrivals: number } | null>,
  testClockFile: {
    variable: 'KELPIE_TEST_CLOCK_FILE',
    about: 'A file with the milliseconds by which the clock is shifted. Tests only; production refuses it.',
    rule: 'none, or the whole path of a file',
    example: '/tmp/clock',
    fallback: 'none',
    parse: (text) => (text === 'none' ? null : text.startsWith('/') ? text : undefined),
  } satisfies Setting<string | null>,
};
