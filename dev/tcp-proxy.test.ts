import assert from 'node:assert/strict';
import { createServer, connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { startTcpProxy } from './tcp-proxy.ts';

// Answers every piece of data with the same data.
const echo = createServer((socket) => socket.on('error', () => socket.destroy()).pipe(socket));
await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
const address = echo.address();
assert(typeof address === 'object' && address !== null);
const proxy = await startTcpProxy({ host: '127.0.0.1', port: address.port });
after(async () => {
  await proxy.close();
  echo.close();
});

async function open(): Promise<Socket> {
  const socket = connect(proxy.port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

/** What comes back within the time, or undefined. */
async function say(socket: Socket, text: string, withinMs: number): Promise<string | undefined> {
  const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
  socket.write(text);
  const silence = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), withinMs));
  return Promise.race([answer, silence]);
}

test('without a fault everything passes', async () => {
  proxy.setFault({ kind: 'none' });
  const socket = await open();
  assert.equal(await say(socket, 'hello', 1_000), 'hello');
  socket.destroy();
});

test('a delay holds data back both ways and loses none', async () => {
  proxy.setFault({ kind: 'delay', delayMs: 100 });
  const socket = await open();
  const startedAt = performance.now();
  assert.equal(await say(socket, 'slow', 2_000), 'slow');
  assert(performance.now() - startedAt >= 195);
  socket.destroy();
});

test('a dropped request never reaches the server; a dropped reply left it', async () => {
  const socket = await open();
  proxy.setFault({ kind: 'drop', towards: 'server' });
  const before = proxy.bytesToServer();
  assert.equal(await say(socket, 'lost', 100), undefined);
  assert.equal(proxy.bytesToServer(), before);
  proxy.setFault({ kind: 'drop', towards: 'client' });
  assert.equal(await say(socket, 'unanswered', 100), undefined);
  assert.equal(proxy.bytesToServer(), before + 'unanswered'.length);
  socket.destroy();
});

test('a black hole takes connections and answers nothing', async () => {
  proxy.setFault({ kind: 'black-hole' });
  const before = proxy.bytesToServer();
  const socket = await open();
  assert.equal(await say(socket, 'anyone?', 100), undefined);
  assert.equal(proxy.bytesToServer(), before);
  socket.destroy();
});

test('a cut resets what is open and takes new connections', async () => {
  proxy.setFault({ kind: 'none' });
  const socket = await open();
  assert.equal(await say(socket, 'first', 1_000), 'first');
  const failure = new Promise<string | undefined>((resolve) =>
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code)),
  );
  proxy.cut();
  assert.equal(await failure, 'ECONNRESET');
  const next = await open();
  assert.equal(await say(next, 'second', 1_000), 'second');
  next.destroy();
});
