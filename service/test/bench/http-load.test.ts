import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { findPort } from '@kelpie/dev/free-port.ts';
import { Disturbed, type Counted } from '../../bench/completions.ts';
import { startHttpLoad } from '../../bench/http-load.ts';

const port = await findPort();
let answered = 0;
/** The numbers of the answers that are 503. */
let slowAt: readonly number[] = [];
const server = createServer((request, response) => {
  answered += 1;
  response.writeHead(slowAt.includes(answered) ? 503 : 201, { 'content-length': 2 });
  request.resume().on('end', () => response.end('{}'));
});
server.listen(port, '127.0.0.1');
await once(server, 'listening');
const http = startHttpLoad();

after(() => {
  http.end();
  server.closeAllConnections();
  server.close();
});

const requests = ['POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n'];

async function send(untilAnswered: number): Promise<Counted> {
  const fromMs = Date.now();
  const running = http.start({ port, connections: 4, requests, status: 201 });
  await running.begun();
  await eventually('so many are answered', async () => answered >= untilAnswered);
  return running.finish({ fromMs, toMs: Date.now() + 1_000 });
}

test('a slice with a request that was answered 503 is disturbed, and each of them may have created a payout', async () => {
  for (const number of [1, 20]) {
    slowAt = [answered + number];
    const before = http.payoutsMade(port);
    await assert.rejects(
      send(answered + number),
      (error) => error instanceof Disturbed && /refused: 1,/.test(error.message),
    );
    const { counted, unclear } = http.payoutsMade(port);
    assert.equal(unclear, before.unclear + 1);
    assert.equal(counted + unclear, answered);
  }
});

test('a slice without one is counted', async () => {
  const { inWindow } = await send(answered + 50);
  assert(inWindow >= 50);
  assert.equal(http.payoutsMade(port).counted + http.payoutsMade(port).unclear, answered);
});
