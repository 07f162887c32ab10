import { isIP } from 'node:net';
import { isMailAddress, parseSender, type MailSender } from './mail-address.ts';
import { parseRelay, type MailRelay } from './relay-address.ts';

/** One environment variable, with its description and its rule. */
export interface Setting<Value> {
  variable: string;
  about: string;
  /** Completes "It must be …". */
  rule: string;
  /** A valid value. */
  example: string;
  /** The default. Without one the variable is required. */
  fallback?: string;
  /** A secret is never printed, not even in an error. */
  secret?: true;
  /** The value, or undefined if the text breaks the rule. */
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
    rule: `a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}, without a trailing slash`,
    parse(text) {
      const url = URL.parse(text);
      if (url === null || !protocols.includes(url.protocol) || url.hostname === '' || text.endsWith('/'))
        return undefined;
      // Only the normal form: no spaces around it, no capitals in the host.
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
    rule: '64 hexadecimal digits (32 bytes)',
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
    rule: 'one or more keys separated by commas, each a version from 1 to 255, a colon and 64 hexadecimal digits',
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

/** One key without a version is version 1, which is how an installation begins. */
function keyOrVersions(variable: string, words: Pick<Words, 'about'>): Setting<ReadonlyMap<number, Buffer>> {
  const [single, versioned] = [secretKey(variable, words), versionedKeys(variable, words)];
  return {
    ...single,
    rule: `${single.rule}, or ${versioned.rule}`,
    parse(text) {
      const key = single.parse(text);
      return key === undefined ? versioned.parse(text) : new Map([[1, key]]);
    },
  };
}

/** An optional setting. */
export function optional<Value>(setting: Setting<Value>): Setting<Value | null> {
  return {
    ...setting,
    rule: `none, or ${setting.rule}`,
    fallback: 'none',
    parse: (text) => (text === 'none' ? null : setting.parse(text)),
  };
}

/** The same setting without a default and without `none`, for production. */
export function required<Value>(setting: Setting<Value | null>): Setting<Value> {
  const { fallback: _, rule, ...rest } = setting;
  return { ...rest, rule: rule.replace(/^none, or /, ''), parse: (text) => setting.parse(text) ?? undefined };
}

function bankSettings(environment: 'SANDBOX' | 'LIVE', which: string, example: { url: string; apiKey: string }) {
  return {
    url: optional(
      address(`KELPIE_${environment}_BANK_URL`, ['https:', 'http:'], {
        about: `The API address of ${which}. Without it, payouts on that rail are disabled.`,
        example: example.url,
      }),
    ),
    apiKey: optional(
      matching(`KELPIE_${environment}_BANK_API_KEY`, '1 to 200 visible characters', /^[!-~]{1,200}$/, {
        about: `Our API key at ${which}.`,
        example: example.apiKey,
        secret: true,
      }),
    ),
    float: optional<{ customerId: string; walletId: string }>({
      variable: `KELPIE_${environment}_BANK_FLOAT`,
      about: `Kelpie's own wallet at ${which}, from which partners' bank wallets are topped up: the ids of its customer and of the wallet. Without it nothing is topped up or swept.`,
      rule: "a customer's id and a wallet's id with a slash between them",
      example: '5f3c9a52-6b0e-4b55-9d3b-0a6f0a0c7b11/9a1f2d6c-1111-4c3e-8a54-2f6f3a9b7c22',
      parse(text) {
        const [, customerId, walletId] = /^([\w-]{1,100})\/([\w-]{1,100})$/.exec(text) ?? [];
        return customerId === undefined || walletId === undefined ? undefined : { customerId, walletId };
      },
    }),
    webhookKey: optional<string>({
      variable: `KELPIE_${environment}_BANK_WEBHOOK_KEY`,
      about: `The public key that verifies webhooks of ${which}. Without it webhooks are refused, and Kelpie polls the bank.`,
      rule: 'a PEM public key with \\n between its lines',
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
/** The driver checks the server's certificate against this authority, and against the host of the URL. */
const verified = '?sslmode=verify-full&sslrootcert=/etc/kelpie/database-ca.crt';

const sandboxBank = bankSettings('SANDBOX', "the bank's sandbox", {
  url: 'https://api.sandbox.bridge.xyz/v0',
  apiKey: 'sk-test-secret',
});
const liveBank = bankSettings('LIVE', 'the live bank', {
  url: 'https://api.bridge.xyz/v0',
  apiKey: 'sk-live-secret',
});

const rate = { min: 1, max: 1_000_000 };

const bitsOf = new Map([
  [4, 32],
  [6, 128],
]);

/** An IP address, or a network in CIDR notation. */
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

/** Every setting of every Kelpie process. A test keeps docs/configuration.md equal. */
export const settings = {
  mode: oneOf('KELPIE_MODE', ['production', 'development'], {
    about: 'Production refuses unsafe settings. Development mode allows them, and test settings.',
    example: 'production',
    fallback: 'production',
  }),
  databaseUrl: address('KELPIE_DATABASE_URL', postgres, {
    about:
      'PostgreSQL, as the role kelpie_service. Used by the api and the worker. Production requires sslmode=verify-full or a local socket.',
    example: `postgres://kelpie_service:secret@db.internal:5432/kelpie${verified}`,
    secret: true,
  }),
  standbyDatabaseUrl: optional(
    address('KELPIE_STANDBY_DATABASE_URL', postgres, {
      about:
        'A standby of the same database, as the role kelpie_service. It answers lists, exports and reports once it has everything that was confirmed before; without it, or while it is behind, the primary does.',
      example: `postgres://kelpie_service:secret@db.internal:5433/kelpie${verified}`,
      secret: true,
    }),
  ),
  ownerDatabaseUrl: address('KELPIE_OWNER_DATABASE_URL', postgres, {
    about: 'The same database as the role kelpie_owner. Used only by `kelpie-admin migrate`.',
    example: `postgres://kelpie_owner:secret@db.internal:5432/kelpie${verified}`,
    secret: true,
  }),
  readerDatabaseUrl: address('KELPIE_READER_DATABASE_URL', postgres, {
    about:
      'The same database as the role kelpie_reader. Used by `kelpie-admin` commands that read, and by the worker, for its gauges and the nightly verification. A worker in development can do without.',
    example: `postgres://kelpie_reader:secret@db.internal:5432/kelpie${verified}`,
    secret: true,
  }),
  operatorDatabaseUrl: address('KELPIE_OPERATOR_DATABASE_URL', postgres, {
    about:
      'The same database with your own login in the role kelpie_operator. Used by `kelpie-admin` commands that change something. The audit log records the login.',
    example: `postgres://ada%40kelpie.example:secret@db.internal:5432/kelpie${verified}`,
    secret: true,
  }),
  databaseConnections: wholeNumber(
    'KELPIE_DATABASE_CONNECTIONS',
    { min: 2, max: 200 },
    {
      about:
        'Maximum connections per process. Besides these, an api has as many to a standby if there is one, one for jobs, one that checks whether writes are confirmed, and one that listens for changes; a worker has one more for jobs.',
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
    about: 'The port that the api listens on; 0 picks a free one.',
    example: '4000',
    fallback: '4000',
  }),
  publicUrl: address('KELPIE_PUBLIC_URL', ['https:', 'http:'], {
    about: 'The public address of the api. Production requires https://.',
    example: 'https://api.kelpie.example',
  }),
  metricsHost: matching('KELPIE_METRICS_HOST', 'an IP address or a host name', /^[A-Za-z0-9.:-]{1,255}$/, {
    about: 'The address that metrics are served on. Production requires a loopback or private one.',
    example: '127.0.0.1',
    fallback: '127.0.0.1',
  }),
  metricsPort: wholeNumber('KELPIE_METRICS_PORT', port, {
    about: 'The port that Prometheus metrics are served on; 0 picks a free one.',
    example: '9464',
    fallback: '9464',
  }),
  logLevel: oneOf('KELPIE_LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], {
    about: 'The lowest level that is logged.',
    example: 'info',
    fallback: 'info',
  }),
  otlpUrl: optional(
    address('KELPIE_OTLP_URL', ['https:', 'http:'], {
      about: 'Where traces are sent, by OTLP over HTTP. Without it none are recorded.',
      example: 'http://127.0.0.1:4318/v1/traces',
    }),
  ),
  traceRatio: {
    variable: 'KELPIE_TRACE_RATIO',
    about: 'The share of traces that are recorded. Set the same in every process, or traces lack some of their spans.',
    rule: 'a number from 0 to 1 with at most 4 decimals',
    example: '0.1',
    fallback: '0.1',
    parse: (text) => (/^(0(\.\d{1,4})?|1(\.0{1,4})?)$/.test(text) ? Number(text) : undefined),
  } satisfies Setting<number>,
  drainDelayMs: wholeNumber(
    'KELPIE_DRAIN_DELAY_MS',
    { min: 0, max: 8_000 },
    {
      about:
        'After SIGTERM, how long the api still serves while `/readyz` answers 503, so that load balancers can react.',
      example: '3000',
      fallback: '3000',
    },
  ),
  trustedProxies: optional(
    networks('KELPIE_TRUSTED_PROXIES', {
      about:
        'Load balancers in front of the api. Only their X-Forwarded-For is trusted, for rate limits and for the networks of API keys.',
      example: '10.0.0.0/8,fd00::1',
    }),
  ),
  maxConnections: wholeNumber(
    'KELPIE_MAX_CONNECTIONS',
    { min: 10, max: 60_000 },
    {
      about:
        'Open connections per api process. More are closed at once, so let the proxy send no more than this to each api. Each takes a file descriptor.',
      example: '4000',
      fallback: '4000',
    },
  ),
  requestsPerSecond: wholeNumber('KELPIE_REQUESTS_PER_SECOND', rate, {
    about: 'Requests per second per API key, over all api processes.',
    example: '100',
    fallback: '100',
  }),
  requestsBurst: wholeNumber('KELPIE_REQUESTS_BURST', rate, {
    about: 'Burst of requests per API key.',
    example: '200',
    fallback: '200',
  }),
  payoutsPerSecond: wholeNumber('KELPIE_PAYOUTS_PER_SECOND', rate, {
    about: 'Payouts created per second per API key.',
    example: '25',
    fallback: '25',
  }),
  payoutsBurst: wholeNumber('KELPIE_PAYOUTS_BURST', rate, {
    about: 'Burst of payouts per API key.',
    example: '100',
    fallback: '100',
  }),
  openRequestsPerMinute: wholeNumber('KELPIE_OPEN_REQUESTS_PER_MINUTE', rate, {
    about: 'Requests per minute per client address without a valid API key.',
    example: '300',
    fallback: '300',
  }),
  invitationsPerDay: wholeNumber('KELPIE_INVITATIONS_PER_DAY', rate, {
    about: 'Invitations per day per partner. Each sends an email.',
    example: '50',
    fallback: '50',
  }),
  signUpsPerHour: wholeNumber('KELPIE_SIGN_UPS_PER_HOUR', rate, {
    about: 'Sign-ups per hour, of all addresses together. Beyond it, each sign-up needs a proof of work.',
    example: '300',
    fallback: '300',
  }),
  unverifiedInvitationsPerDay: wholeNumber('KELPIE_UNVERIFIED_INVITATIONS_PER_DAY', rate, {
    about: 'Invitations per day per partner whose business is not verified yet.',
    example: '5',
    fallback: '5',
  }),
  apiKeyPepper: keyOrVersions('KELPIE_API_KEY_PEPPER', {
    about:
      'Secret for hashing API keys and session tokens. The first digests; the others recognise, until each key was used again.',
  }),
  dataKeys: versionedKeys('KELPIE_DATA_KEYS', {
    about:
      "Keys that encrypt recipients' bank details, unsent emails and webhook secrets. The first encrypts; the others decrypt.",
  }),
  indexKey: keyOrVersions('KELPIE_INDEX_KEY', {
    about:
      'Secret for the digests that recognise a repeated account or request. The first digests; the others recognise, until `kelpie-admin encryption-keys rotate` has replaced their digests.',
  }),
  rowKey: keyOrVersions('KELPIE_ROW_KEY', {
    about:
      'Secret for the MACs of rows that decide who may pay: API keys, members, sessions. The first makes them; the others recognise. Keep it away from the database.',
  }),
  auditKey: secretKey('KELPIE_AUDIT_KEY', {
    about:
      'Secret that chains the audit log. Only `kelpie-admin` needs it. Keep it away from the api, the worker and the database. It cannot be changed.',
  }),
  auditAnchors: optional<string>({
    variable: 'KELPIE_AUDIT_ANCHORS',
    about:
      'A file outside the database. Every act appends its anchor, and `kelpie-admin audit verify` checks the log against it. It shows a log that was rolled back as a whole.',
    rule: 'the absolute path of a file',
    example: '/var/lib/kelpie/audit-anchors',
    parse: (text) => (text.startsWith('/') ? text : undefined),
  }),
  ledgerKey: optional(
    secretKey('KELPIE_LEDGER_KEY', {
      about:
        'Secret that chains the closed days of the ledger. The worker and `kelpie-admin ledger verify` need it. Keep it away from the api and the database. It cannot be changed. Required in production.',
    }),
  ),
  ledgerAnchors: optional<string>({
    variable: 'KELPIE_LEDGER_ANCHORS',
    about:
      'A file outside the database, the same for every worker. Each closed day of the ledger appends its anchor. It shows closed days that were changed or removed together with their chain. Required with KELPIE_LEDGER_KEY.',
    rule: 'the absolute path of a file',
    example: '/mnt/kelpie/ledger-anchors',
    parse: (text) => (text.startsWith('/') ? text : undefined),
  }),
  heartbeatAnchor: optional<string>({
    variable: 'KELPIE_HEARTBEAT_ANCHOR',
    about:
      'A file outside the database, the same for every api and worker, on storage that is not restored with the database. It shows that a database was restored, which closes live. Required in production.',
    rule: 'the absolute path of a file',
    example: '/mnt/kelpie/heartbeat',
    parse: (text) => (text.startsWith('/') ? text : undefined),
  }),
  statusFile: optional<string>({
    variable: 'KELPIE_STATUS_FILE',
    about:
      'A file outside the database in which an api keeps what the status page shows. With it, an api that starts while the database is away still shows history and incidents.',
    rule: 'the absolute path of a file',
    example: '/var/lib/kelpie/status.json',
    parse: (text) => (text.startsWith('/') ? text : undefined),
  }),
  sandboxBankUrl: sandboxBank.url,
  sandboxBankApiKey: sandboxBank.apiKey,
  sandboxBankWebhookKey: sandboxBank.webhookKey,
  sandboxBankFloat: sandboxBank.float,
  sandboxBankControlUrl: optional(
    address('KELPIE_SANDBOX_BANK_CONTROL_URL', ['https:', 'http:'], {
      about:
        "The controls of the bank's sandbox, if it is Kelpie's own sandbox bank: by them partners drive their test payouts and add test money. They need no key, so production requires a loopback or private address. Without it, those requests get 409.",
      example: 'http://127.0.0.1:4001/control',
    }),
  ),
  liveBankUrl: liveBank.url,
  liveBankApiKey: liveBank.apiKey,
  liveBankWebhookKey: liveBank.webhookKey,
  liveBankFloat: liveBank.float,
  smtpUrl: optional<MailRelay>({
    variable: 'KELPIE_SMTP_URL',
    about:
      'The SMTP relay. smtps:// uses TLS from the start. smtp:// uses STARTTLS, which production requires. Without a relay, emails wait. In production a worker does not start without one.',
    rule: 'smtps://user:password@host:port or smtp://…, with nothing after the port and the password URL-encoded',
    example: 'smtps://kelpie:secret@mail.internal:465',
    secret: true,
    parse: parseRelay,
  }),
  mailFrom: optional<MailSender>({
    variable: 'KELPIE_MAIL_FROM',
    about:
      'The sender of emails. Message ids use its domain. Required in production, and by a worker that has a relay.',
    rule: 'an email address, or a name and an email address in angle brackets',
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
        'The address of the dashboard, if the api does not serve it. It must forward /v1 to the api. Sessions work only there, and links in emails and from the bank lead there. Without it, the api uses /dashboard at KELPIE_PUBLIC_URL, and emails of a worker have no link.',
      example: 'https://dashboard.kelpie.example',
    }),
  ),
  archive: optional<string>({
    variable: 'KELPIE_ARCHIVE',
    about:
      'The folder of the archive, which the api, the worker and operators have under the same path. Without it, months that have left the database cannot be read.',
    rule: 'file:// and the absolute path of a folder, without a trailing slash',
    example: 'file:///var/lib/kelpie/archive',
    parse: (text) => (/^file:\/\/(\/[\w.-]+)+$/.test(text) ? text.slice('file://'.length) : undefined),
  }),
  egressProxy: optional<string>({
    variable: 'KELPIE_EGRESS_PROXY',
    about:
      'A proxy for webhooks to partners. Kelpie asks it to CONNECT and leaves names to it, so it must refuse private networks. Without it, Kelpie connects directly, to public addresses only.',
    rule: 'http://host:port, with nothing after the port',
    example: 'http://proxy.internal:3128',
    parse: (text) => (text.startsWith('http://') && URL.parse(text)?.origin === text ? text : undefined),
  }),
  egressAllow: optional(
    networks('KELPIE_EGRESS_ALLOW', {
      about:
        'Networks that webhooks may reach although they are not public. For development and tests; refused in production.',
      example: '127.0.0.0/8,::1',
    }),
  ),
  invoiceFrom: {
    variable: 'KELPIE_INVOICE_FROM',
    about: 'The sender printed on invoices: name, address and contact.',
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
    about: 'The bank account printed on invoices. Without it, they say to pay as agreed.',
    rule: 'account name, sort code and account number, separated by semicolons',
    example: 'Kelpie Payouts Ltd; 040004; 12345678',
    parse(text) {
      const [, name, sortCode, accountNumber] = /^([^;\p{C}]{1,60}); *(\d{6}); *(\d{8})$/u.exec(text) ?? [];
      if (name === undefined || sortCode === undefined || accountNumber === undefined) return undefined;
      return { name: name.trim(), sortCode, accountNumber };
    },
  }),
  testFailpoint: {
    variable: 'KELPIE_TEST_FAILPOINT',
    about: 'A point in the code at which the process kills itself. Tests only; refused in production.',
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
    about: 'A file with the milliseconds to shift the clock by. Tests only; refused in production.',
    rule: 'none, or the absolute path of a file',
    example: '/tmp/clock',
    fallback: 'none',
    parse: (text) => (text === 'none' ? null : text.startsWith('/') ? text : undefined),
  } satisfies Setting<string | null>,
};
