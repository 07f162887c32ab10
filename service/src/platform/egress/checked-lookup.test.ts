import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { createResolve } from './checked-lookup.ts';

const types = { a: 1, aaaa: 28 };
const ipv6 = Buffer.from('20010db8000000000000000000000007', 'hex');

/** What each name has. Names that are missing here don't exist. */
const zone: Readonly<Record<string, readonly [type: number, data: Buffer][]>> = {
  'both.example': [
    [types.a, Buffer.from([192, 0, 2, 7])],
    [types.a, Buffer.from([192, 0, 2, 8])],
    [types.aaaa, ipv6],
  ],
  'six.example': [[types.aaaa, ipv6]],
};

const asked: string[] = [];

/** The answer to a question, as RFC 1035 writes it. */
function answerTo(query: Buffer): Buffer {
  const end = query.indexOf(0, 12);
  const name = query
    .subarray(13, end)
    .toString('latin1')
    .replaceAll(/[^a-z]/g, '.');
  asked.push(name);
  const type = query.readUInt16BE(end + 1);
  const records = (zone[name] ?? []).filter(([one]) => one === type);
  const head = Buffer.from(query.subarray(0, end + 5));
  head.writeUInt16BE(name in zone ? 0x8180 : 0x8183, 2);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  const answers = records.map(([, data]) => {
    const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length]);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([head, ...answers]);
}

const server = createSocket('udp4', (query, { port, address }) => server.send(answerTo(query), port, address));
server.bind(0, '127.0.0.1');
await once(server, 'listening');
after(() => server.close());
const resolve = createResolve({ servers: [`127.0.0.1:${server.address().port}`] });

test('a name has the addresses that its name servers give, of both kinds', async () => {
  assert.deepEqual(await resolve('both.example'), ['192.0.2.7', '192.0.2.8', '2001:db8::7']);
  assert.deepEqual(await resolve('six.example'), ['2001:db8::7']);
  assert.deepEqual(await resolve('none.example'), []);
});

test('a name is asked for as it is: neither the hosts of this machine nor search domains add to it', async () => {
  asked.length = 0;
  for (const name of ['localhost', 'kubernetes']) assert.deepEqual(await resolve(name), [], name);
  assert.deepEqual(new Set(asked), new Set(['localhost', 'kubernetes']));
});
