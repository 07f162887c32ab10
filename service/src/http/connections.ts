import type { Server, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Connections {
  hasRequestInHand(socket: Socket): boolean;
  /** Ends those that ask for nothing now: silent ones, and those that never got beyond half a request. */
  endIdle(): void;
}

/** Knows which connections are open, and which of them a request is being answered on. */
export function trackConnections(server: Server): Connections {
  const inHand = new Map<Socket, number>();
  server.on('connection', (socket: Socket) => {
    inHand.set(socket, 0);
    socket.once('close', () => inHand.delete(socket));
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    inHand.set(socket, (inHand.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = inHand.get(socket);
      if (left !== undefined) inHand.set(socket, left - 1);
    });
  });
  return {
    hasRequestInHand: (socket) => (inHand.get(socket) ?? 0) > 0,
    endIdle() {
      for (const [socket, requests] of inHand) if (requests === 0) socket.destroy();
    },
  };
}
