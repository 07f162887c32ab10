import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { valueAt } from '@kelpie/dev/json.ts';
import { call, createPayout, payoutBody } from '../harness/client.ts';
import { defaultLimits } from '../harness/processes.ts';
import type { Attack, Attempts } from './attempts.ts';
import { exchangeRaw, processorMs, statusesIn } from './raw.ts';
import { createVictim, type Stage } from './stage.ts';

// Attacks by the bytes of a request.

const forgedAddresses: Attack = {
  name: 'forged-addresses',
  tries: 'a stranger asks 420 times, each time with another X-Forwarded-For, to have a limit of its own each time',
  async run(stage, attempts) {
    const { url } = await stage.addApi(defaultLimits);
    const statuses: number[] = [];
    for (let asked = 0; asked < 420; asked += 1) {
      const forged = `203.0.${asked % 250}.${asked % 200}`;
      const headers = { 'x-forwarded-for': forged, 'x-real-ip': forged, forwarded: `for=${forged}` };
      statuses.push((await call({ url, key: null }, '/v1/auth/session', { headers })).status);
    }
    const limited = statuses.filter((status) => status === 429).length;
    attempts.add(`${limited} of 420 were limited`, limited < 60);
  },
};

/** A request that is two to a reader that counts its body another way. */
function smuggled(key: string): Record<string, string> {
  const start = `POST /v1/quotes HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n`;
  const second = `GET /v1/account HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`;
  return {
    'content-length and chunks': `${start}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${second}`,
    'chunks and content-length': `${start}transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n${second}`,
    'two lengths': `${start}content-length: 0\r\ncontent-length: ${second.length}\r\n\r\n${second}`,
    'a bare line feed': `${start}transfer-encoding: chunked\n\r\n\r\n0\r\n\r\n${second}`,
    'a folded header': `${start}transfer-encoding:\r\n chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n${second}`,
    'a space before the colon': `${start}transfer-encoding : chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n${second}`,
    'a NUL in a header': `${start}x: \u0000\r\ncontent-length: 0\r\n\r\n${second}`,
    'a length that is no number': `${start}content-length: +0\r\n\r\n${second}`,
    'chunks twice': `${start}transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n\r\n0\r\n\r\n${second}`,
  };
}

const smuggling: Attack = {
  name: 'smuggling',
  tries: 'a second request is hidden in the body of a first',
  async run(stage, attempts) {
    const [{ url }] = stage.apis;
    const { sandbox } = await createVictim(stage);
    for (const [how, bytes] of Object.entries(smuggled(sandbox.key))) {
      const statuses = statusesIn(await exchangeRaw(url, bytes));
      attempts.add(`${how}: ${statuses.join()}`, statuses.length !== 1 || statuses[0] !== 400);
    }
    const traced = statusesIn(await exchangeRaw(url, `TRACE /v1 HTTP/1.1\r\nhost: x\r\ncookie: a=b\r\n\r\n`));
    attempts.add(`TRACE: ${traced.join()}`, traced[0] === 200);
  },
};

const traversal: Attack = {
  name: 'traversal',
  tries: 'an address leads out of the folder of the dashboard',
  async run({ apis: [{ url }] }, attempts) {
    const up = ['../', '..%2f', '%2e%2e/', '%2e%2e%2f', '..%5c', '....//', '..%252f', '..;/', './../'];
    const files = ['package.json', 'service/package.json', '.env', 'etc/passwd'];
    for (const step of up) {
      for (const file of files) {
        for (const depth of [2, 3, 8]) {
          const address = `/dashboard/${step.repeat(depth)}${file}`;
          const received = await exchangeRaw(url, `GET ${address} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
          attempts.add(address, /"name": "|root:x:0|KELPIE_/.test(received));
        }
      }
    }
  },
};

const openRedirect: Attack = {
  name: 'open-redirect',
  tries: 'an address of ours leads to another site',
  async run({ apis: [{ url }] }, attempts) {
    const evil = ['https://evil.example', '//evil.example', '/\\evil.example', 'https:evil.example'];
    const names = ['next', 'return_to', 'redirect', 'redirect_uri', 'url', 'continue'];
    const addresses = [
      ...evil.flatMap((to) => names.map((name) => `/dashboard?${name}=${encodeURIComponent(to)}`)),
      '//evil.example/dashboard',
      '/dashboard//evil.example',
      '/dashboard/..//evil.example',
      '//evil.example/%2e%2e',
    ];
    for (const address of addresses) {
      const received = await exchangeRaw(
        url,
        `GET ${address} HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n`,
      );
      const [, location = ''] = /^location: *(.*?)\r?$/im.exec(received) ?? [];
      attempts.add(`${address} → ${location}`, /evil/.test(location));
    }
  },
};

const cutOffMs = 22_000;

/** Whether a connection is still open after so long, a byte at a time. */
async function isStillOpen(url: string, start: string, rest: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', noDelay: true });
    let sent = 0;
    const pace = setInterval(() => {
      socket.write(rest.charAt(sent % rest.length));
      sent += 1;
    }, 200);
    const settle = (isOpen: boolean): void => {
      clearInterval(pace);
      clearTimeout(patience);
      socket.destroy();
      resolve(isOpen);
    };
    const patience = setTimeout(() => settle(true), cutOffMs);
    socket.on('error', () => undefined);
    socket.on('data', () => settle(false));
    socket.on('close', () => settle(false));
    socket.write(start);
  });
}

const slowSenders: Attack = {
  name: 'slow-senders',
  tries: '40 connections send a byte at a time to keep the api busy',
  async run(stage, attempts) {
    const [{ url }] = stage.apis;
    const { sandbox } = await createVictim(stage);
    const head =
      `POST /v1/payouts HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${sandbox.key}\r\n` +
      `idempotency-key: ${randomUUID()}\r\ncontent-type: application/json\r\ncontent-length: 900\r\n`;
    const slow = Array.from({ length: 40 }, async (_, nth) =>
      nth % 2 === 0 ? isStillOpen(url, `${head}\r\n`, ' ') : isStillOpen(url, head, 'x: y\r\n'),
    );
    const served = await createPayout({ url, key: sandbox.key });
    attempts.add(`another caller meanwhile: ${served.status}`, served.status !== 201);
    for (const isOpen of await Promise.all(slow)) attempts.add('still open', isOpen);
  },
};

/** Sends a body as it stands. */
async function post(url: string, key: string, path: string, body: string): Promise<{ status: number; code: string }> {
  const received = await exchangeRaw(
    url,
    `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\nidempotency-key: ${randomUUID()}\r\n` +
      `content-type: application/json\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    { silenceMs: 30_000 },
  );
  const [, json = 'null'] = /\r\n\r\n(\{.*\})/s.exec(received) ?? [];
  const code = valueAt(JSON.parse(json), 'error.code');
  return { status: statusesIn(received)[0] ?? 0, code: typeof code === 'string' ? code : '' };
}

const hostileKeys: Attack = {
  name: 'hostile-keys',
  tries: 'a body reaches a prototype, or names a field twice to be read in two ways',
  async run(stage, attempts) {
    const [{ url }] = stage.apis;
    const { key } = (await createVictim(stage)).sandbox;
    const whole = JSON.stringify(payoutBody());
    const hidden = [
      '"__proto__":{"amount_gbp":"9.00"},',
      String.raw`"\u005f_proto__":{"x":1},`,
      '"constructor":{"prototype":{"x":1}},',
      '"amount_gbp":"2.00",',
      String.raw`"\u0061mount_gbp":"2.00",`,
      '"recipient":{},',
    ];
    for (const more of hidden)
      attempts.mustBe(
        more,
        await post(
          url,
          key,
          '/v1/payouts',
          whole.replace('{', () => `{${more}`),
        ),
        '400 invalid_json',
      );
    const inside = ['"account_number":"12345678",', '"__proto__":{"account_number":"12345678"},'];
    for (const more of inside) {
      const body = whole.replace('"bank":{', () => `"bank":{${more}`);
      attempts.mustBe(`${more} within`, await post(url, key, '/v1/payouts', body), '400 invalid_json');
    }
  },
};

const deepNesting: Attack = {
  name: 'deep-nesting',
  tries: 'a body that is nested 30,000 deep ends the process or makes it answer 500',
  async run(stage, attempts) {
    const [{ url }] = stage.apis;
    const { key } = (await createVictim(stage)).sandbox;
    const depth = 10_000;
    for (const value of ['['.repeat(30_000) + ']'.repeat(30_000), `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`]) {
      const refused = await post(url, key, '/v1/quotes', `{"amount_gbp":${value}}`);
      attempts.mustBe(`${value.slice(0, 5)}…`, refused, '422 invalid_amount');
    }
    const alive = await createPayout({ url, key });
    attempts.add(`afterwards: ${alive.status}`, alive.status !== 201);
  },
};

const mostProcessorMs = 1_000;

/** Sends texts in one field each; through where one of them takes the processor for long. */
async function tryTexts(stage: Stage, attempts: Attempts, texts: readonly string[]): Promise<void> {
  const [{ url, pid }] = stage.apis;
  const { key } = (await createVictim(stage)).sandbox;
  const cases = texts.flatMap((text): [string, object][] => [
    ['/v1/quotes', { amount_gbp: text }],
    ['/v1/payouts', payoutBody({ reference: text })],
    ['/v1/payouts', payoutBody({}, { first_name: text })],
    ['/v1/payouts', payoutBody({}, { email: text })],
    ['/v1/auth/code', { email: text }],
    ['/v1/signup', { email: text, name: text, slug: text }],
    ['/v1/auth/session', { email: 'a@b.test', code: text, slug: text }],
  ]);
  for (const [path, body] of cases) {
    const before = processorMs(pid);
    const sending = post(url, key, path, JSON.stringify(body)).then(() => true);
    const isOver = async (): Promise<boolean> => processorMs(pid) - before > mostProcessorMs;
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const watch = setInterval(() => void isOver().then((over) => over && resolve(true)), 100);
    await Promise.race([sending, late]);
    clearInterval(watch);
    const spent = Math.round(processorMs(pid) - before);
    attempts.add(`${path} with ${JSON.stringify(body).slice(0, 60)}: ${spent} ms`, spent > mostProcessorMs);
    // A process that is stuck answers nothing else.
    if (spent > mostProcessorMs) return;
  }
}

const slowPatterns: Attack = {
  name: 'slow-patterns',
  tries: 'a text of 60 KB, or one that a pattern can read in many ways, keeps the api busy',
  async run(stage, attempts) {
    const length = 60_000;
    await tryTexts(stage, attempts, [
      `${'a'.repeat(40)}!`,
      `${'a'.repeat(length)}!`,
      'a@'.repeat(length / 2),
      `${'1'.repeat(length)}.0`,
      `${' '.repeat(length)}\n`,
      `${'a-'.repeat(length / 2)}_`,
      `${'é\u0301'.repeat(length / 6)}\u0000`,
    ]);
  },
};

export const requestAttacks: readonly Attack[] = [
  forgedAddresses,
  smuggling,
  traversal,
  openRedirect,
  slowSenders,
  hostileKeys,
  deepNesting,
  slowPatterns,
];
