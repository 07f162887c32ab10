import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { constants, createSecureServer } from 'node:http2';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '@kelpie/dev/eventually.ts';
import { startTcpProxy } from '@kelpie/dev/tcp-proxy.ts';
import { testCertificate } from '@kelpie/dev/test-certificate.ts';
import { createHttpAgent, exchange, type HttpExchange } from './http-exchange.ts';

const agent = createHttpAgent();
const received: string[] = [];
const bank = createServer((request, response) => {
  request.setEncoding('utf8').on('data', (chunk) => received.push(String(chunk)));
  request.on('end', () => {
    if (request.url === '/reset') response.socket?.resetAndDestroy();
    else if (request.url === '/half') response.writeHead(200, { 'content-length': 100 }).write('{"id":');
    else if (request.url === '/endless') response.end('x'.repeat(2_000_000));
    else if (request.url === '/silent') return;
    else response.end('{"ok":true}');
  });
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: string | AddressInfo | null = server.address();
  assert(typeof address === 'object' && address !== null);
  return address.port;
}

const port = await listen(bank);
const proxy = await startTcpProxy({ host: '127.0.0.1', port });
after(async () => {
  await agent.destroy();
  await proxy.close();
  bank.closeAllConnections();
  bank.close();
});

async function post(origin: string, path: string, timeoutMs = 500): Promise<HttpExchange> {
  return exchange(agent, { method: 'POST', origin, path, headers: {}, body: '{"pay":"once"}', timeoutMs });
}

const direct = `http://127.0.0.1:${port}`;
const throughProxy = `http://127.0.0.1:${proxy.port}`;

test('an answer is its status and its whole body', async () => {
  assert.deepEqual(await post(direct, '/'), { kind: 'answered', status: 200, body: '{"ok":true}' });
});

test('a port that nobody listens on: certainly nothing was sent', async () => {
  const closed = createTcpServer();
  const closedPort = await listen(closed);
  await new Promise((resolve) => closed.close(resolve));
  assert.deepEqual(await post(`http://127.0.0.1:${closedPort}`, '/'), { kind: 'not_sent', text: 'ECONNREFUSED' });
});

test('a name that does not exist: certainly nothing was sent', async () => {
  assert.equal((await post('http://no-such-bank.invalid', '/', 3_000)).kind, 'not_sent');
});

test('a server that does not speak TLS: certainly nothing was sent', async () => {
  const before = received.length;
  assert.equal((await post(`https://127.0.0.1:${port}`, '/', 3_000)).kind, 'not_sent');
  assert.equal(received.length, before);
});

for (const [what, path] of [
  ['reset after the request', '/reset'],
  ['an answer cut in half', '/half'],
  ['no answer', '/silent'],
  ['an answer without end', '/endless'],
]) {
  test(`${what}: the request left and its fate is not known`, async () => {
    assert.equal((await post(direct, path ?? '')).kind, 'lost');
  });
}

test('a connection that takes bytes and passes none on is no proof that nothing was sent', async () => {
  proxy.setFault({ kind: 'black-hole' });
  assert.equal((await post(throughProxy, '/')).kind, 'lost');
  proxy.setFault({ kind: 'drop', towards: 'client' });
  assert.equal((await post(throughProxy, '/')).kind, 'lost');
  proxy.setFault({ kind: 'none' });
  proxy.cut();
});

/** A server over TLS that counts what reaches it; its streams are refused after they were read, where it speaks HTTP/2. */
async function startTlsBank(): Promise<{ port: number; requests: string[]; close: () => void }> {
  const requests: string[] = [];
  const server = createSecureServer({ ...testCertificate, allowHTTP1: true }, (request, response) => {
    if (request.httpVersionMajor >= 2) return;
    requests.push(`${request.method} ${request.httpVersion}`);
    response.end('{}');
  });
  server.on('stream', (stream) => {
    requests.push('POST 2');
    stream.resume().on('end', () => stream.close(constants.NGHTTP2_REFUSED_STREAM));
  });
  return { port: await listen(server), requests, close: () => server.close() };
}

test('what was given up before it could be sent is never sent later', async () => {
  const tlsBank = await startTlsBank();
  const slow = await startTcpProxy({ host: '127.0.0.1', port: tlsBank.port });
  // The connection stands at once, but the handshake takes longer than the caller waits.
  slow.setFault({ kind: 'delay', delayMs: 400 });
  const trusting = createHttpAgent({ ca: testCertificate.cert });
  const answer = await exchange(trusting, {
    method: 'POST',
    origin: `https://localhost:${slow.port}`,
    path: '/',
    headers: {},
    body: '{"pay":"once"}',
    timeoutMs: 300,
  });
  assert.deepEqual(answer, { kind: 'not_sent', text: 'deadline' });
  const handshakeBytes = slow.bytesToServer();
  await eventually('the handshake is through', async () => slow.bytesToServer() > handshakeBytes);
  await wait(1_000);
  assert.deepEqual(tlsBank.requests, []);
  await trusting.destroy();
  await slow.close();
  tlsBank.close();
});

test('a request is sent once, also to a server that speaks HTTP/2 and refuses its stream', async () => {
  const tlsBank = await startTlsBank();
  const trusting = createHttpAgent({ ca: testCertificate.cert });
  const origin = `https://localhost:${tlsBank.port}`;
  await exchange(trusting, { method: 'POST', origin, path: '/', headers: {}, body: '{}', timeoutMs: 2_000 });
  assert.deepEqual(tlsBank.requests, ['POST 1.1']);
  await trusting.destroy();
  tlsBank.close();
});
