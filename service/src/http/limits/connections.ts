import type { Server, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Connections {
  /**
   * Whether what can not be read on a connection may be answered there. Behind a request that came whole it may not: the
   * answer would be taken for that request's, which is still being worked on.
   */
  mayAnswerUnreadable(socket: Socket): boolean;
  /** Ends those that ask for nothing now: silent ones, and those that never got beyond half a request. */
  endIdle(): void;
}

interface InHand {
  requests: number;
  newest?: { request: IncomingMessage; response: ServerResponse };
}

/** What can not be read is the newest request itself, or comes behind it. */
function mayAnswer({ requests, newest }: InHand): boolean {
  if (newest === undefined || newest.request.complete) return requests === 0;
  return requests === 1 && !newest.response.headersSent;
}

/** Knows which connections are open, and which of them a request is being answered on. */
export function trackConnections(server: Server): Connections {
  const connections = new Map<Socket, InHand>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { requests: 0 });
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const inHand = connections.get(request.socket);
    if (inHand === undefined) return;
    inHand.requests += 1;
    inHand.newest = { request, response };
    response.once('close', () => {
      inHand.requests -= 1;
    });
  });
  return {
    mayAnswerUnreadable(socket) {
      const inHand = connections.get(socket);
      return inHand === undefined || mayAnswer(inHand);
    },
    endIdle() {
      for (const [socket, { requests }] of connections) if (requests === 0) socket.destroy();
    },
  };
}
