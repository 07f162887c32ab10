import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';

interface Asked {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingHttpHeaders;
  body: unknown;
}

interface Reply {
  status?: number;
  headers?: Record<string, string>;
  json?: unknown;
  /** In place of JSON. */
  text?: string;
}

/** What to answer; a handler that takes the response itself answers as badly as it likes. */
export type Answer = (asked: Asked, response: ServerResponse) => Reply | undefined;

export interface StandInApi {
  url: string;
  asked: Asked[];
  answer: (how: Answer) => void;
}

async function readRequest(request: IncomingMessage): Promise<Asked> {
  const address = new URL(request.url ?? '/', 'http://localhost');
  const body = await text(request);
  return {
    method: request.method ?? '',
    path: address.pathname,
    query: Object.fromEntries(address.searchParams),
    headers: request.headers,
    body: body === '' ? undefined : JSON.parse(body),
  };
}

/** A server that answers as the test says, and remembers what it was asked. It ends with the test file. */
export async function startStandInApi(): Promise<StandInApi> {
  const asked: Asked[] = [];
  let answer: Answer | undefined;
  const server = createServer((request, response) => {
    void readRequest(request).then((read) => {
      asked.push(read);
      const reply = answer === undefined ? {} : answer(read, response);
      if (reply === undefined) return;
      const { status = 200, headers = {}, json = {}, text: plain = JSON.stringify(json) } = reply;
      response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req-1', ...headers }).end(plain);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    answer(how) {
      asked.length = 0;
      answer = how;
    },
  };
}
