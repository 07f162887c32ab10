// What production refuses although each setting is valid by itself. Every rule names the settings and says what to change.
import { accessSync, constants } from 'node:fs';
import { isIP } from 'node:net';
import { isOwnAddress, isOwnNetwork } from '../network-range.ts';
import { parseDatabaseAddress } from './database-address.ts';
import { settings, type Setting } from './settings.ts';

type Rule = (env: NodeJS.ProcessEnv) => string[];

/** What was given, or undefined where the default applies. */
function given(env: NodeJS.ProcessEnv, { variable }: Setting<unknown>): string | undefined {
  const text = env[variable];
  return text === '' || text === 'none' ? undefined : text;
}

const testSettings: Rule = (env) =>
  [settings.testClockFile, settings.testFailpoint, settings.egressAllow]
    .filter((setting) => given(env, setting) !== undefined)
    .map(({ variable }) => `${variable} is set. It works only with KELPIE_MODE=development`);

const plainHttp: Rule = (env) =>
  [settings.publicUrl, settings.dashboardUrl, settings.sandboxBankUrl, settings.liveBankUrl]
    .filter((setting) => URL.parse(given(env, setting) ?? '')?.protocol === 'http:')
    .map(({ variable }) => `${variable} starts with http://. In production it must start with https://`);

const databases = [
  settings.databaseUrl,
  settings.standbyDatabaseUrl,
  settings.readerDatabaseUrl,
  settings.operatorDatabaseUrl,
  settings.ownerDatabaseUrl,
];

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** A proxy on 127.0.0.1 carries the connection on to another machine, so loopback is no exception. */
const unverifiedDatabase: Rule = (env) =>
  databases.flatMap((setting) => {
    const address = parseDatabaseAddress(given(env, setting) ?? '');
    if (address === null || address.isSocket) return [];
    if (!address.isVerified)
      return [
        `${setting.variable} connects without verified TLS. Add ?sslmode=verify-full&sslrootcert=/path/of/ca.crt, with the name in the server's certificate as the host, or use a local socket: postgres://role:password@%2Frun%2Fpostgresql/kelpie`,
      ];
    return address.rootCertificate === null || isReadable(address.rootCertificate)
      ? []
      : [`${setting.variable}: the file of its sslrootcert cannot be read. Check the path and its permissions`];
  });

/** Turns verification off for the bank, the relay and the database at once. */
const certificatesUnchecked: Rule = (env) =>
  env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0'
    ? [
        'NODE_TLS_REJECT_UNAUTHORIZED is 0, so no certificate is checked. Remove it, and name an authority of your own in NODE_EXTRA_CA_CERTS',
      ]
    : [];

interface Key {
  variable: string;
  hex: string;
}

function keysIn(env: NodeJS.ProcessEnv): Key[] {
  const { apiKeyPepper, indexKey, rowKey, auditKey, ledgerKey, dataKeys } = settings;
  const every = [apiKeyPepper, indexKey, rowKey, auditKey, ledgerKey, dataKeys];
  return every
    .flatMap((setting) =>
      (given(env, setting) ?? '').split(',').map((part) => ({
        variable: setting.variable,
        // Without its version.
        hex: part.replace(/^\d+:/, ''),
      })),
    )
    .filter(({ hex }) => /^[0-9a-f]{64}$/.test(hex));
}

const generate = 'Generate one with openssl rand -hex 32';

/** Of 32 random bytes, more than eight differ. The example of the docs has eight. */
const fewestBytes = 9;

const guessableKeys: Rule = (env) =>
  keysIn(env)
    .filter(({ hex }) => new Set(Buffer.from(hex, 'hex')).size < fewestBytes)
    .map(({ variable }) => `${variable} is the example from the docs or another pattern. ${generate}`);

const equalKeys: Rule = (env) => {
  const keys = keysIn(env);
  return keys.flatMap(({ variable, hex }, at) => {
    const first = keys.findIndex((other) => other.hex === hex);
    const other = keys[first]?.variable ?? '';
    if (first === at) return [];
    return other === variable
      ? [`${variable} has one key under two versions. ${generate}`]
      : [`${other} and ${variable} are the same key. ${generate}, one for each`];
  });
};

/** A URL's password, or the whole text. */
function credentialIn(text: string): string {
  const password = URL.parse(text)?.password ?? '';
  return password === '' ? text : password;
}

const exampleCredentials: Rule = (env) =>
  Object.values<Setting<unknown>>(settings)
    .filter(({ secret }) => secret === true)
    .filter(({ example }) => !/[0-9a-f]{64}$/.test(example))
    .filter((setting) => {
      const text = given(env, setting);
      return text !== undefined && credentialIn(text) === credentialIn(setting.example);
    })
    .map(({ variable }) => `${variable} has the example password or key from the docs. Change it`);

/** Test money must not leave from where real money is, nor count as real. */
const sharedBanks: Rule = (env) => {
  const hostOf = (setting: Setting<unknown>): string | undefined => URL.parse(given(env, setting) ?? '')?.hostname;
  const pairs: readonly (readonly [Setting<unknown>, Setting<unknown>, typeof hostOf, string])[] = [
    [settings.sandboxBankUrl, settings.liveBankUrl, hostOf, 'have the same host'],
    [settings.sandboxBankControlUrl, settings.liveBankUrl, hostOf, 'have the same host'],
    [settings.sandboxBankApiKey, settings.liveBankApiKey, (each) => given(env, each), 'are equal'],
    [settings.sandboxBankWebhookKey, settings.liveBankWebhookKey, (each) => given(env, each), 'are equal'],
    [settings.sandboxBankFloat, settings.liveBankFloat, (each) => given(env, each), 'are equal'],
  ];
  return pairs
    .filter(([sandbox, live, valueOf]) => valueOf(sandbox) !== undefined && valueOf(sandbox) === valueOf(live))
    .map(
      ([sandbox, live, , how]) =>
        `${sandbox.variable} and ${live.variable} ${how}. The sandbox needs the bank's sandbox, with its own key`,
    );
};

/** A name may lead anywhere. */
function isOwnHost(host: string): boolean {
  return host === 'localhost' || isOwnAddress(host.replaceAll(/[[\]]/g, ''));
}

const publicMetrics: Rule = (env) => {
  const host = given(env, settings.metricsHost) ?? '127.0.0.1';
  if (isOwnHost(host)) return [];
  const what = isIP(host) === 0 ? 'a name, which may be public' : 'a public address or all of them';
  return [`${settings.metricsHost.variable} is ${JSON.stringify(host)}, ${what}. Use a loopback or private IP address`];
};

const plainTraces: Rule = (env) => {
  const url = URL.parse(given(env, settings.otlpUrl) ?? '');
  return url?.protocol !== 'http:' || isOwnHost(url.hostname)
    ? []
    : [
        `${settings.otlpUrl.variable} sends traces over http://. Use https://, or a collector on a loopback or private IP address`,
      ];
};

/** Whoever reaches them makes payments fail and come back: they ask for no key. */
const publicControls: Rule = (env) => {
  const url = URL.parse(given(env, settings.sandboxBankControlUrl) ?? '');
  return url === null || isOwnHost(url.hostname)
    ? []
    : [
        `${settings.sandboxBankControlUrl.variable} is a public address or a name. Use a loopback or private IP address`,
      ];
};

/** Large providers of proxies have networks of /11 and /13. */
const widestBits = { ipv4: 8, ipv6: 16 };

function isTooWide(network: string): boolean {
  const [address = '', bits] = network.split('/');
  if (bits === undefined || isOwnNetwork(network)) return false;
  return Number(bits) < (isIP(address) === 6 ? widestBits.ipv6 : widestBits.ipv4);
}

const everyProxy: Rule = (env) =>
  (given(env, settings.trustedProxies) ?? '')
    .split(',')
    .filter(isTooWide)
    .map(
      (network) =>
        `${settings.trustedProxies.variable} trusts ${network}, so strangers could choose the address that we see. List your load balancers' networks, at least /${widestBits.ipv4} (IPv4) or /${widestBits.ipv6} (IPv6)`,
    );

/** Alarms are log lines. */
const noAlarms: Rule = (env) =>
  given(env, settings.logLevel) === 'silent'
    ? [`${settings.logLevel.variable} is silent, so no alarm is logged. Use error, or a lower level`]
    : [];

const rules: readonly Rule[] = [
  testSettings,
  plainHttp,
  unverifiedDatabase,
  certificatesUnchecked,
  guessableKeys,
  equalKeys,
  exampleCredentials,
  sharedBanks,
  publicMetrics,
  plainTraces,
  publicControls,
  everyProxy,
  noAlarms,
];

/** One sentence for each unsafe setting. Never a secret in it. */
export function listUnsafeSettings(env: NodeJS.ProcessEnv): string[] {
  return rules.flatMap((rule) => rule(env));
}
