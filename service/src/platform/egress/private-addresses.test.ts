import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { createEgress, type Egress } from './egress.ts';

let connections = 0;
/** On every address of this machine. */
const inside = createServer((_request, response) => response.writeHead(200, { connection: 'close' }).end('reached'));
inside.on('connection', () => (connections += 1));
await new Promise<void>((resolve) => inside.listen(0, resolve));
const address = inside.address();
assert(typeof address === 'object' && address !== null);
const { port } = address;
after(() => {
  inside.closeAllConnections();
  inside.close();
});

/** In these tests 127.0.0.1 stands for a public address, and 127.0.0.2 for one inside. */
const standIn = '127.0.0.1';
const privateAddress = '127.0.0.2';

function open(answers: (name: string) => readonly string[], allowed: readonly string[] = []): Egress {
  const egress = createEgress({ proxyUrl: null, allowed, resolve: async (name) => answers(name) });
  after(async () => egress.close());
  return egress;
}

async function outcomeOf(egress: Egress, host: string): Promise<string | number> {
  const url = `http://${host}:${port}/`;
  const result = await egress.post({ url, headers: {}, body: '{}', mayBePlain: true });
  return result.kind === 'answered' ? result.status : result.reason;
}

const literals = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '017700000001',
  '0177.0.0.1',
  '0x7f.0.0.1',
  '127.0.0.1.',
  '0.0.0.0',
  '0',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[100::1]',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '192.88.99.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
];

test('faults 52: an address inside our network is never connected to, in whatever form the URL has it', async () => {
  const egress = open(() => assert.fail('an address was looked up'));
  connections = 0;
  for (const literal of literals) assert.equal(await outcomeOf(egress, literal), 'address_refused', literal);
  assert.equal(connections, 0);
});

test('faults 52: a name that leads inside our network is never connected to', async () => {
  const names = literals.map((literal, at): [string, string] => [
    `name-${at}.example`,
    new URL(`http://${literal}`).hostname.replaceAll(/[[\]]/g, ''),
  ]);
  const addresses = new Map(names);
  const egress = open((name) => [addresses.get(name) ?? assert.fail(name)]);
  connections = 0;
  for (const [name, led] of names) assert.equal(await outcomeOf(egress, name), 'address_refused', led);
  assert.equal(connections, 0);
});

test('faults 52: one address inside refuses the whole name, wherever it stands among public ones', async () => {
  connections = 0;
  for (const addresses of [
    [standIn, privateAddress],
    [privateAddress, standIn],
    [...Array.from({ length: 20 }, () => standIn), privateAddress],
    [standIn, '::1'],
    [standIn, 'not an address'],
  ])
    assert.equal(
      await outcomeOf(
        open(() => addresses, [standIn]),
        'mixed.example',
      ),
      'address_refused',
    );
  assert.equal(connections, 0);
});

test('faults 52: a name that changes between two lookups (DNS rebinding) reaches only what was checked', async () => {
  let lookups = 0;
  const egress = open(() => [lookups++ === 0 ? standIn : privateAddress], [standIn]);
  connections = 0;
  // One lookup is both checked and connected to: there is no second that could differ.
  assert.equal(await outcomeOf(egress, 'rebinding.example'), 200);
  assert.deepEqual({ lookups, connections }, { lookups: 1, connections: 1 });
  assert.equal(await outcomeOf(egress, 'rebinding.example'), 'address_refused');
  assert.deepEqual({ lookups, connections }, { lookups: 2, connections: 1 });
});

test('faults 52: names that flip at random reach no address inside', async () => {
  const egress = open(
    () => [[standIn], [privateAddress], [standIn, privateAddress], []][Math.floor(Math.random() * 4)] ?? [],
    [standIn],
  );
  const reached: (string | undefined)[] = [];
  inside.on('connection', (socket) => reached.push(socket.localAddress));
  const outcomes = await Promise.all(
    Array.from({ length: 200 }, async (_, at) => outcomeOf(egress, `flip-${at}.example`)),
  );
  assert.deepEqual(new Set(outcomes), new Set([200, 'address_refused', 'not_found']));
  assert.deepEqual([...new Set(reached.map((local) => local?.replace('::ffff:', '')))], [standIn]);
});
