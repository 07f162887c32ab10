import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { Type } from 'typebox';
import { systemClock } from '../platform/clock.ts';
import { createLogger } from '../platform/logging.ts';
import { createMetrics } from '../platform/metrics.ts';
import { createServer } from './server.ts';

const { app, finish } = createServer({
  clock: systemClock,
  logger: createLogger('test', 'silent'),
  meter: createMetrics().meter,
  supportEmail: 'support@kelpie.example',
  retryAfterSeconds: () => 1,
});
const body = Type.Object(
  { amount: Type.String(), count: Type.Optional(Type.Integer()) },
  { additionalProperties: false },
);
app.post('/things/:id', { schema: { body } }, async (request) => ({ got: request.body }));
app.get('/broken', async () => {
  throw new Error('Key (account_number)=(12345678) already exists.');
});
app.get('/thrown', async () => {
  const { promise, reject } = Promise.withResolvers();
  reject(null);
  return promise;
});
app.get('/slow', async () => new Promise((resolve) => setTimeout(() => resolve({}), 200)));
app.get('/ids/:id', { schema: { params: Type.Object({ id: Type.String({ format: 'uuid' }) }) } }, async () => ({}));
finish();
await app.listen({ host: '127.0.0.1', port: 0 });
after(async () => app.close());
const [address] = app.addresses();
assert(typeof address === 'object');
const { port } = address;
const url = `http://127.0.0.1:${port}`;

interface Answer {
  status: number;
  code: unknown;
  details: unknown;
  text: string;
  headers: Headers;
}

async function ask(path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url + path, init);
  const text = await response.text();
  const parsed: unknown = JSON.parse(text);
  const error = typeof parsed === 'object' && parsed !== null && 'error' in parsed ? parsed.error : undefined;
  const part = (name: string): unknown =>
    typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
  return {
    status: response.status,
    code: part('code'),
    details: part('details'),
    text,
    headers: response.headers,
  };
}

async function send(
  json: string,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Promise<Answer> {
  return ask('/things/1', { method: 'POST', headers, body: json });
}

test('every answer carries a Request-Id and is JSON', async () => {
  for (const answer of [await ask('/nothing'), await ask('/broken'), await send('{"amount":"1"}'), await send('{')]) {
    assert.match(answer.headers.get('request-id') ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  }
});

test('a Request-Id of the caller is not taken over', async () => {
  const answer = await ask('/nothing', { headers: { 'request-id': 'mine' } });
  assert.notEqual(answer.headers.get('request-id'), 'mine');
});

for (const [what, json] of [
  ['nothing', ''],
  ['broken JSON', '{"amount":'],
  ['an array', '[]'],
  ['null', 'null'],
  ['a text', '"x"'],
  ['a number', '1'],
  ['behind a byte-order mark', '\ufeff{"amount":"1"}'],
  ['a key that reaches the prototype', '{"__proto__":{"x":1},"amount":"1"}'],
  ['a constructor with a prototype', '{"constructor":{"prototype":{"x":1}},"amount":"1"}'],
]) {
  test(`a body that is ${what} is 400 invalid_json`, async () => {
    const { status, code } = await send(json ?? '');
    assert.deepEqual({ status, code }, { status: 400, code: 'invalid_json' });
  });
}

for (const [what, json] of [
  ['at the top', '{"amount":"1","amount":"2"}'],
  ['written in another way', String.raw`{"amount":"1","\u0061mount":"2"}`],
  ['further down', '{"amount":{"x":[{"y":1,"y":2}]}}'],
  ['in a value that is then replaced', '{"amount":{"x":1,"x":2},"amount":"1"}'],
  ['after a text of quotes, backslashes and colons', String.raw`{"amount":":\":\\","amount":"1"}`],
  ['with an empty name', '{"":1,"":2}'],
]) {
  test(`a body that names a field twice ${what} is 400 invalid_json`, async () => {
    const { status, code } = await send(json ?? '');
    assert.deepEqual({ status, code }, { status: 400, code: 'invalid_json' });
  });
}

test('colons, quotes and backslashes in a text are no names of fields', async () => {
  for (const text of [
    ':::',
    '"',
    '\\',
    '\\"',
    '":"',
    '{"a":1,"a":2}',
    '\u2028:',
    '\\'.repeat(999),
    '"\\:'.repeat(999),
  ]) {
    const sent = { amount: text, count: 1 };
    const { status, text: answer } = await send(JSON.stringify(sent));
    assert.deepEqual([status, JSON.parse(answer)], [200, { got: sent }], text);
  }
});

test('a body that is nested as deep as it can be is refused like any other', async () => {
  const lists = '['.repeat(32_000) + ']'.repeat(32_000);
  for (const deep of [lists, `${'{"x":'.repeat(10_000)}1${'}'.repeat(10_000)}`]) {
    assert.equal((await send(`{"amount":${deep}}`)).code, 'invalid_request');
    assert.equal((await send(`{"amount":"1","x":${deep}}`)).code, 'invalid_request');
  }
  assert.equal((await send(lists)).code, 'invalid_json');
  assert.equal((await send('['.repeat(65_000))).code, 'invalid_json');
});

test('a value of another type is refused, never turned into the right one', async () => {
  const { status, code, details } = await send('{"amount":5,"count":"7"}');
  assert.deepEqual({ status, code }, { status: 422, code: 'invalid_request' });
  assert.deepEqual(details, {
    fields: [
      { path: 'amount', rule: 'must be a string' },
      { path: 'count', rule: 'must be a whole number' },
    ],
  });
});

test('an unknown field is refused, never dropped in silence', async () => {
  const { status, details } = await send('{"amount":"1","amuont":"2"}');
  assert.equal(status, 422);
  assert.deepEqual(details, { fields: [{ path: 'amuont', rule: 'is not accepted here' }] });
});

test('a missing field is named by its own path', async () => {
  const { details } = await send('{}');
  assert.deepEqual(details, { fields: [{ path: 'amount', rule: 'is required' }] });
});

test('a body of another media type is 415, and one that is too large is 413', async () => {
  const { status, code } = await send('amount=1', { 'content-type': 'application/x-www-form-urlencoded' });
  assert.deepEqual({ status, code }, { status: 415, code: 'unsupported_media_type' });
  const large = await send(JSON.stringify({ amount: 'x'.repeat(70_000) }));
  assert.deepEqual({ status: large.status, code: large.code }, { status: 413, code: 'payload_too_large' });
});

test('an address with the wrong method is 405 and says which methods it takes', async () => {
  const { status, code, headers } = await ask('/things/1');
  assert.deepEqual(
    { status, code, allow: headers.get('allow') },
    { status: 405, code: 'method_not_allowed', allow: 'POST' },
  );
});

test('an address that does not exist, or can not be read, is 404', async () => {
  for (const path of ['/nothing', '/things/%ff', '/things', `/things/${'x'.repeat(500)}`]) {
    const { status, code } = await ask(path, { method: 'POST' });
    assert.deepEqual({ path, status, code }, { path, status: 404, code: 'not_found' });
  }
});

test('an error that nobody foresaw is 500, says nothing of its cause, and names whom to contact', async () => {
  const { status, code, text, headers } = await ask('/broken');
  const requestId = headers.get('request-id') ?? '';
  assert(text.includes(`Contact support at support@kelpie.example and quote Request-Id ${requestId}.`), text);
  assert.deepEqual({ status, code }, { status: 500, code: 'internal_error' });
  assert.doesNotMatch(text, /12345678/);
});

async function sendRaw(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

test('bytes that are not HTTP get an answer of the usual form', async () => {
  const answer = await sendRaw('GARBAGE\r\n\r\n');
  assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\nRequest-Id: [0-9a-f-]{36}\r\n/);
  assert.match(answer, /"code":"malformed_request"/);
});

test('a request without a Host header, or with an expectation that we do not know, is answered in the usual form', async () => {
  const noHost = await sendRaw('GET / HTTP/1.1\r\nConnection: close\r\n\r\n');
  assert.match(noHost, /^HTTP\/1\.1 400 .*request-id: .*malformed_request/is);
  const expecting = await sendRaw('GET /nothing HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n');
  assert.match(expecting, /^HTTP\/1\.1 404 .*request-id: .*not_found/is);
});

test('garbage behind a request on the same connection is not answered in place of that request', async () => {
  const answer = await sendRaw('GET /slow HTTP/1.1\r\nHost: x\r\n\r\nGARBAGE\r\n\r\n');
  assert.doesNotMatch(answer, /malformed_request/);
});

test('a body that breaks off, or is not sent as it was announced, is answered in place of its request', async () => {
  const start = 'POST /things/1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
  for (const rest of [
    'Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n',
    'Transfer-Encoding: chunked\r\n\r\n2\r\n{}GARBAGE',
  ])
    assert.match(await sendRaw(start + rest), /^HTTP\/1\.1 400 .*malformed_request"[^{]*\}\}$/s);
});

test('a request has to arrive whole in the same time in which its headers have to', () => {
  // Where its headers had longer, the runtime would exchange the two: a slow body would then have that longer time.
  assert(app.server.headersTimeout <= app.server.requestTimeout);
});

test('who sends far too much is told so, and can go on asking on the same connection', async () => {
  const large = 'a'.repeat(4 * 1024 * 1024);
  const start = 'POST /things/1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
  const next = 'GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  const answers = await sendRaw(`${start}Content-Length: ${large.length}\r\n\r\n${large}${next}`);
  assert.match(answers, /^HTTP\/1\.1 413 .*payload_too_large.*HTTP\/1\.1 404 .*not_found/s);
});

test('an answer says that the connection is closed when it is', async () => {
  for (const json of ['{', '{}', '{"amount":"1"}']) {
    const head = `Host: x\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${json.length}\r\n\r\n`;
    assert.match(await sendRaw(`POST /things/1 HTTP/1.1\r\n${head}${json}`), /^HTTP.*\r\nconnection: close\r\n/is);
  }
});

test('the connection of who is refused with chunks still to come is closed', async () => {
  const start = 'Host: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n';
  assert.match(await sendRaw(`PUT /things/1 HTTP/1.1\r\n${start}`), /^HTTP\/1\.1 405 .*\r\nconnection: close\r\n/s);
});

async function sendByTheByte(json: string): Promise<string> {
  const chunks = Array.from(json, (letter) => `1\r\n${letter}\r\n`).join('');
  const head = 'Host: x\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';
  return sendRaw(`POST /things/1 HTTP/1.1\r\n${head}${chunks}0\r\n\r\n`);
}

test('a body can come in chunks, but not in thousands of them', async () => {
  assert.match(await sendByTheByte(JSON.stringify({ amount: 'x'.repeat(4_000) })), /^HTTP\/1\.1 200 /);
  const refused = await sendByTheByte(JSON.stringify({ amount: 'x'.repeat(5_000) }));
  assert.match(refused, /^HTTP\/1\.1 413 .*payload_too_large/s);
});

test('bytes that are not UTF-8 are refused, never replaced', async () => {
  const response = await fetch(`${url}/things/1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from([...Buffer.from('{"amount":"'), 0xff, ...Buffer.from('"}')]),
  });
  assert.equal(response.status, 400);
});

test('a body with thousands of problems is answered with the first of them', async () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`f${at}`, 1]));
  const { text } = await send(JSON.stringify(many));
  assert(text.length < 10_000, `${text.length} characters`);
});

test('something thrown that is no error is 500 in the usual form', async () => {
  const { status, code } = await ask('/thrown');
  assert.deepEqual({ status, code }, { status: 500, code: 'internal_error' });
});

test('an id that has not the form of an id is 404', async () => {
  const { status, code } = await ask('/ids/not-a-uuid');
  assert.deepEqual({ status, code }, { status: 404, code: 'not_found' });
});

test('a route whose body takes unknown fields does not start', () => {
  const loose = createServer({
    clock: systemClock,
    logger: createLogger('test', 'silent'),
    meter: createMetrics().meter,
    supportEmail: 'support@kelpie.example',
    retryAfterSeconds: () => 1,
  });
  const schema = { body: Type.Object({ inner: Type.Object({}) }, { additionalProperties: false }) };
  assert.throws(() => loose.app.post('/loose', { schema }, async () => ({})), /POST \/loose: body.properties.inner/);
});

test('headers without end are 431', async () => {
  assert.match(
    await sendRaw(`GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`),
    /^HTTP\/1\.1 431 .*headers_too_large/s,
  );
});
