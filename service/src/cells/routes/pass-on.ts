import { Agent, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: 500 });

const retryAfterSeconds = 1;

/** As the api itself says it. The caller repeats it with the same Idempotency-Key. */
export function refuse(response: ServerResponse): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const message =
    'Kelpie cannot answer for this account for a moment. Retry after the number of seconds in Retry-After. For a payout, use the same Idempotency-Key.';
  response
    .writeHead(503, { 'content-type': 'application/json; charset=utf-8', 'retry-after': String(retryAfterSeconds) })
    .end(JSON.stringify({ error: { code: 'unavailable', message } }));
}

interface Passed {
  /** Settles once the caller has an answer, or is gone. */
  ended: Promise<void>;
  cut: () => void;
}

/** Passes a request to a cell, and its answer back. */
export function passOn(url: string, request: IncomingMessage, response: ServerResponse): Passed {
  const target = new URL(request.url ?? '/', url);
  const outgoing = ask(target, { agent, method: request.method, headers: request.headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
    answer.once('error', () => response.destroy());
  });
  const cut = (): void => {
    refuse(response);
    outgoing.destroy();
  };
  const ended = new Promise<void>((resolve) => {
    response.once('close', () => {
      outgoing.destroy();
      resolve();
    });
  });
  // A connection that the cell closed while it was idle ends here too: nothing says whether the cell has read the request.
  outgoing.once('error', cut);
  request.pipe(outgoing);
  return { ended, cut };
}

const mostBytes = 1_000_000;

async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) return null;
    bytes += chunk.length;
    if (bytes > mostBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * A bank calls one address, and names no cell: every cell is told, and each wakes what it knows. The bank sends it again unless all
 * have taken it.
 */
export async function passToAll(
  urls: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  if (body === null) return void response.writeHead(413).end();
  const { host: _host, connection: _connection, 'content-length': _length, ...carried } = request.headers;
  const headers = Object.fromEntries(
    Object.entries(carried).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
  const answers = await Promise.all(
    urls.map(async (url) =>
      fetch(new URL(request.url ?? '/', url), {
        method: 'POST',
        headers,
        body,
        signal: AbortSignal.timeout(8_000),
      }).then(
        async (answer) => ({ status: answer.status, text: await answer.text() }),
        () => ({ status: 503, text: '' }),
      ),
    ),
  );
  const [first = { status: 503, text: '' }] = answers.toSorted((one, other) => other.status - one.status);
  response.writeHead(first.status, { 'content-type': 'application/json; charset=utf-8' }).end(first.text);
}
