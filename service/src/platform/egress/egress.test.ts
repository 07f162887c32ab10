import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect as connectTo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { eventually } from '@kelpie/dev/eventually.ts';
import { testCertificate } from '@kelpie/dev/test-certificate.ts';
import { createEgress, type EgressOptions, type EgressRequest } from './egress.ts';
import type { EgressResult } from './exchange.ts';

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  const address = server.address();
  assert(typeof address === 'object' && address !== null);
  return address.port;
}

function open(options: Partial<EgressOptions> = {}) {
  const egress = createEgress({
    proxyUrl: null,
    allowed: ['127.0.0.0/8'],
    resolve: async () => ['127.0.0.1'],
    ...options,
  });
  after(async () => egress.close());
  return egress;
}

const common = {
  headers: { 'content-type': 'application/json', 'webhook-id': 'msg_1' },
  body: '{"a":1}',
  mayBePlain: true,
};

async function post(url: string, options: Partial<EgressOptions> = {}, request: Partial<EgressRequest> = {}) {
  return open(options).post({ ...common, url, ...request });
}

function reasonOf(result: EgressResult): string {
  return result.kind === 'failed' ? result.reason : `answered ${result.status}`;
}

/** How the partner answers, by path. */
const answers: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  '/reset': (response) => response.socket?.resetAndDestroy(),
  '/hang': () => undefined,
  '/drip': (response) => setInterval(() => response.write('x'), 20).unref(),
  '/huge'(response) {
    for (let at = 0; at < 100; at += 1) response.write('é'.repeat(50_000));
  },
  '/many-headers'(response) {
    for (let at = 0; at < 40; at += 1) response.setHeader(`x-${at}`, 'y');
    response.end();
  },
  '/long-headers'(response) {
    for (let at = 0; at < 10; at += 1) response.setHeader(`x-${at}`, 'y'.repeat(1_000));
    response.end();
  },
  '/bytes': (response) => response.end(Buffer.from([0x61, 0, 0xff, 0x62])),
  '/early'(response) {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' });
    response.writeHead(202, { 'set-cookie': ['a=1', 'b=2'] }).end('later');
  },
};

function thank(response: ServerResponse): void {
  response.writeHead(200, { 'x-from': 'partner' }).end('thanks');
}

const received: { headers: IncomingHttpHeaders; body: string; port: number | undefined }[] = [];
let closedSockets = 0;
const partner = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (chunk) => (body += String(chunk)));
  request.on('end', () => {
    received.push({ headers: request.headers, body, port: request.socket.remotePort });
    const answer = answers[request.url ?? ''] ?? thank;
    answer(response);
  });
});
partner.on('connection', (socket) => socket.on('close', () => (closedSockets += 1)));
const partnerUrl = `http://127.0.0.1:${await listen(partner)}`;
after(() => partner.closeAllConnections());

test('a request arrives as it was given, under our name, and the answer is returned', async () => {
  received.length = 0;
  const result = await post(`${partnerUrl}/hook?x=1`, {}, { body: Buffer.from('{"b":"ü"}') });
  assert(result.kind === 'answered');
  assert.deepEqual([result.status, result.body, result.headers['x-from']], [200, 'thanks', 'partner']);
  assert(result.latencyMs >= 0 && result.latencyMs < 10_000);
  const [one] = received;
  assert.equal(one?.body, '{"b":"ü"}');
  const { host: _, connection: __, ...headers } = one.headers;
  assert.deepEqual(headers, {
    'content-type': 'application/json',
    'webhook-id': 'msg_1',
    'user-agent': 'Kelpie-Webhooks/1',
    'accept-encoding': 'identity',
    'content-length': '10',
  });
});

test('a connection serves the next request to the same host, and no other host', async () => {
  const egress = open();
  received.length = 0;
  const { port } = new URL(partnerUrl);
  for (const host of ['127.0.0.1', '127.0.0.1', 'a.example', 'b.example']) {
    assert.equal(reasonOf(await egress.post({ ...common, url: `http://${host}:${port}/` })), 'answered 200');
    // The client takes a connection for free one turn of the event loop after its answer.
    await nextTurn();
    await nextTurn();
  }
  assert.equal(received[0]?.port, received[1]?.port);
  assert.equal(new Set(received.map((one) => one.port)).size, 3);
});

test('a redirect is an answer, and where it leads gets no connection', async () => {
  let connections = 0;
  const target = createServer().on('connection', () => (connections += 1));
  const location = `http://127.0.0.1:${await listen(target)}/`;
  for (const status of [301, 302, 303, 307, 308]) {
    const redirecting = createServer((_request, response) => response.writeHead(status, { location }).end());
    const result = await post(`http://127.0.0.1:${await listen(redirecting)}/`);
    assert(result.kind === 'answered');
    assert.deepEqual([result.status, result.headers['location']], [status, location]);
  }
  assert.equal(connections, 0);
});

test('an endpoint that says nothing, or drips its answer, has until the deadline', async () => {
  const sockets: Socket[] = [];
  const slowHeaders = createTcpServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    socket.write('HTTP/1.1 200 OK\r\nx: ');
    setInterval(() => socket.write('y'), 20).unref();
  });
  const slowUrl = `http://127.0.0.1:${await listen(slowHeaders)}/`;
  after(() => sockets.map((socket) => socket.destroy()));
  for (const url of [`${partnerUrl}/hang`, `${partnerUrl}/drip`, slowUrl]) {
    const result = await post(url, { timeoutMs: 300 });
    assert.equal(reasonOf(result), 'timeout', url);
    assert(result.latencyMs >= 290 && result.latencyMs < 2_000, `${url} took ${result.latencyMs} ms`);
  }
  await eventually('the connection is closed', async () => sockets.every((socket) => socket.destroyed));
});

test('a request that was given up before its connection was there is never sent', async () => {
  let requests = 0;
  let closed = 0;
  const late = createServer((_request, response) => response.end(String((requests += 1))));
  late.on('connection', (socket) => socket.on('close', () => (closed += 1)));
  const port = await listen(late);
  const lookup = Promise.withResolvers<string[]>();
  const result = await post(`http://slow.example:${port}/`, { timeoutMs: 50, resolve: async () => lookup.promise });
  assert.equal(reasonOf(result), 'timeout');
  lookup.resolve(['127.0.0.1']);
  await eventually('its connection is closed', async () => closed === 1);
  assert.equal(requests, 0);
});

test('of a huge answer the first 2 KB are read, and its connection is closed', async () => {
  closedSockets = 0;
  const result = await post(`${partnerUrl}/huge`);
  assert(result.kind === 'answered');
  assert.equal(result.body, 'é'.repeat(1_024));
  await eventually('the connection is closed', async () => closedSockets === 1);
});

test('an answer can always be stored as text', async () => {
  const result = await post(`${partnerUrl}/bytes`);
  assert(result.kind === 'answered');
  assert.equal(result.body, 'a\uFFFD\uFFFDb');
});

test('headers of an answer are bounded in number and size', async () => {
  const many = await post(`${partnerUrl}/many-headers`);
  assert(many.kind === 'answered');
  assert.equal(Object.keys(many.headers).length, 30);
  const long = await post(`${partnerUrl}/long-headers`);
  assert(long.kind === 'answered');
  assert.deepEqual(Object.keys(long.headers), ['x-0', 'x-1', 'x-2', 'x-3']);
  const endless = createTcpServer((socket) => {
    socket.on('error', () => undefined).write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`);
  });
  assert.equal(reasonOf(await post(`http://127.0.0.1:${await listen(endless)}/`)), 'too_large_headers');
});

test('hints before the answer are not taken for it', async () => {
  const result = await post(`${partnerUrl}/early`);
  assert(result.kind === 'answered');
  assert.deepEqual([result.status, result.body, result.headers['set-cookie']], [202, 'later', 'a=1, b=2']);
});

async function failToResolve(): Promise<never> {
  throw new Error('SERVFAIL');
}

test('what went wrong is named', async () => {
  const closed = createTcpServer();
  const closedPort = await listen(closed);
  await new Promise((resolve) => closed.close(resolve));
  const nonsense = createTcpServer((socket) => socket.on('error', () => undefined).end('220 mail ESMTP\r\n'));
  const nonsenseUrl = `http://127.0.0.1:${await listen(nonsense)}/`;
  assert.equal(reasonOf(await post(`${partnerUrl}/reset`)), 'connection_lost');
  assert.equal(reasonOf(await post(nonsenseUrl)), 'connection_lost');
  assert.equal(reasonOf(await post(`http://127.0.0.1:${closedPort}/`)), 'connection_refused');
  assert.equal(reasonOf(await post('http://none.example/', { resolve: async () => [] })), 'not_found');
  assert.equal(reasonOf(await post('https://none.example/', { resolve: failToResolve })), 'not_found');
  for (const url of [`${partnerUrl}#x`, partnerUrl.replace('//', '//user@'), 'http://a.example:25', 'nothing'])
    assert.equal(reasonOf(await post(url)), 'invalid_url', url);
  assert.equal(reasonOf(await post(partnerUrl, {}, { mayBePlain: false })), 'invalid_url');
});

const tls = createTlsServer(testCertificate, (_request, response) => response.end('secret'));
const tlsPort = await listen(tls);
after(() => tls.closeAllConnections());
const ca = testCertificate.cert;

test('a certificate must be trusted and of the right name', async () => {
  assert.equal(reasonOf(await post(`https://localhost:${tlsPort}/`, { ca }, { mayBePlain: false })), 'answered 200');
  assert.equal(reasonOf(await post(`https://localhost:${tlsPort}/`)), 'tls');
  assert.equal(reasonOf(await post(`https://other.example:${tlsPort}/`, { ca })), 'tls');
  assert.equal(reasonOf(await post(partnerUrl.replace('http:', 'https:'))), 'tls');
});

test('a signal ends a request with its reason, and closing ends all', async () => {
  const egress = open();
  const request = { ...common, url: `${partnerUrl}/hang` };
  const controller = new AbortController();
  const aborted = assert.rejects(egress.post(request, controller.signal), /stopping/);
  const stillOpen = egress.post(request);
  controller.abort(new Error('stopping'));
  await aborted;
  await assert.rejects(egress.post(request, controller.signal), /stopping/);
  await egress.close();
  assert.equal(reasonOf(await stillOpen), 'connection_lost');
  assert.equal(reasonOf(await egress.post(request)), 'connection_lost');
});

/** A proxy that knows every name as this machine, and refuses one. */
const asked: string[] = [];
const proxy = createServer().on('connect', (request, socket) => {
  const target = request.url ?? '';
  asked.push(target);
  if (target.startsWith('silent.')) return;
  if (target.startsWith('refused.')) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  const [, port] = target.split(':');
  const upstream = connectTo(Number(port), '127.0.0.1');
  upstream.on('connect', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    upstream.pipe(socket).pipe(upstream);
  });
  for (const end of [upstream, socket]) end.on('error', () => upstream.destroy());
});
const proxyUrl = `http://127.0.0.1:${await listen(proxy)}`;
after(() => proxy.closeAllConnections());

test('with a proxy, names are left to it and addresses inside are still refused', async () => {
  const through: Partial<EgressOptions> = {
    proxyUrl,
    allowed: [],
    ca,
    resolve: async () => assert.fail('looked up here'),
  };
  const { port } = new URL(partnerUrl);
  asked.length = 0;
  assert.equal(reasonOf(await post(`http://hooks.example:${port}/`, through)), 'answered 200');
  assert.equal(reasonOf(await post(`https://localhost:${tlsPort}/`, through)), 'answered 200');
  assert.equal(reasonOf(await post(`https://other.example:${tlsPort}/`, through)), 'tls');
  assert.equal(reasonOf(await post(`https://refused.example/`, through)), 'proxy');
  assert.equal(reasonOf(await post('https://silent.example/', { ...through, timeoutMs: 300 })), 'timeout');
  const reached = [
    `hooks.example:${port}`,
    `localhost:${tlsPort}`,
    `other.example:${tlsPort}`,
    'refused.example:443',
    'silent.example:443',
  ];
  assert.deepEqual(asked, reached);
  for (const host of ['127.0.0.1', '[::1]', '2130706433', '169.254.169.254'])
    assert.equal(reasonOf(await post(`http://${host}:${port}/`, through)), 'address_refused', host);
  assert.deepEqual(asked, reached);
});

test('a proxy that is away is named as the cause', async () => {
  const closed = createTcpServer();
  const port = await listen(closed);
  await new Promise((resolve) => closed.close(resolve));
  assert.equal(reasonOf(await post(partnerUrl, { proxyUrl: `http://127.0.0.1:${port}` })), 'proxy');
});
