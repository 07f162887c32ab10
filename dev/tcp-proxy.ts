import { createServer, connect, type Socket } from 'node:net';

/** What the network between two programs does from now on. */
type Fault =
  | { kind: 'none' }
  /** Every piece of data is held back, in both directions. */
  | { kind: 'delay'; delayMs: number }
  /** Data in one direction vanishes; connections stay open. */
  | { kind: 'drop'; towards: 'server' | 'client' }
  /** Connections are taken, and nothing ever comes of them; those that are open go silent both ways. */
  | { kind: 'black-hole' };

export interface TcpProxy {
  port: number;
  setFault(fault: Fault): void;
  /** Resets every open connection; new ones are taken as before. */
  cut(): void;
  /** Bytes that reached the server in all: 0 is the proof that nothing left. */
  bytesToServer(): number;
  close: () => Promise<void>;
}

/** Stands between two programs on this machine and spoils their connection on demand. `ownPort` is 0 for any. */
export async function startTcpProxy(target: { host: string; port: number }, ownPort = 0): Promise<TcpProxy> {
  let fault: Fault = { kind: 'none' };
  let bytesToServer = 0;
  const sockets = new Set<Socket>();

  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  };
  const forward = (to: Socket, towards: 'server' | 'client') => (data: Buffer) => {
    if (fault.kind === 'black-hole' || (fault.kind === 'drop' && fault.towards === towards)) return;
    const send = (): void => {
      if (!to.writable) return;
      if (towards === 'server') bytesToServer += data.length;
      to.write(data);
    };
    // A later piece can't overtake an earlier one: timers of equal length fire in the order they were set.
    if (fault.kind === 'delay') setTimeout(send, fault.delayMs);
    else send();
  };

  const proxy = createServer({ allowHalfOpen: true }, (client) => {
    keep(client);
    const server = connect({ ...target, allowHalfOpen: true });
    keep(server);
    client.on('data', forward(server, 'server'));
    server.on('data', forward(client, 'client'));
    client.on('end', () => fault.kind === 'none' && server.end());
    server.on('end', () => fault.kind === 'none' && client.end());
    client.on('close', () => server.destroy());
    server.on('close', () => fault.kind === 'none' && client.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(ownPort, '127.0.0.1', resolve));
  const address = proxy.address();
  if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port');

  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: address.port,
    cut,
    setFault: (next) => {
      fault = next;
    },
    bytesToServer: () => bytesToServer,
    async close() {
      cut();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
