import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { after } from 'node:test';
import { Webhook } from 'standardwebhooks';

/** A request that the reference library has verified. */
interface Received {
  id: string;
  body: ReceivedBody;
  signatures: number;
  at: number;
}

export interface ReceivedBody {
  id: string;
  sequence: number;
  type: string;
  version: number;
  data: { id: string };
  webhook: { id: string; previous_sequence: number | null };
}

type Answer = (request: { body: ReceivedBody; nth: number }, response: ServerResponse) => void;

/** A partner's server, as real as ours. */
export interface Receiver {
  url: string;
  received: Received[];
  /** Requests whose signature was wrong. */
  forged: number;
  /** What it answers from now on; 204 at first. */
  answer: Answer;
  trust(secret: string): void;
  /** Connections are refused until it comes back. */
  leave(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

export const accept: Answer = (_, response) => void response.writeHead(204).end();
export const refuse: Answer = (_, response) => void response.writeHead(500, { 'x-reason': 'broken' }).end('not today');
export const hang: Answer = () => undefined;

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (chunk instanceof Buffer) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function headersOf(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
}

function isBody(value: unknown): value is ReceivedBody {
  return typeof value === 'object' && value !== null && 'webhook' in value && 'sequence' in value;
}

interface ReceiverOptions {
  atEnd?: (end: () => Promise<void>) => void;
  /** Where the senders' clock is moved: a signature of any time is good. */
  isOfAnyTime?: boolean;
  /** Of this machine, for https://, which live asks for. */
  certificate?: Certificate;
}

interface Certificate {
  key: string;
  cert: string;
}

function createAnyServer(certificate: Certificate | undefined, listener: RequestListener): Server {
  return certificate === undefined ? createServer(listener) : createTlsServer(certificate, listener);
}

/** What the library checks, but for the time. */
function verifyAtAnyTime(webhook: Webhook, headers: Record<string, string>, body: string): unknown {
  const { 'webhook-id': id = '', 'webhook-timestamp': seconds = '', 'webhook-signature': signatures = '' } = headers;
  const signature = webhook.sign(id, new Date(Number(seconds) * 1_000), body);
  if (!signatures.split(' ').includes(signature)) throw new Error('another signature');
  return JSON.parse(body);
}

export async function startReceiver({
  atEnd = after,
  isOfAnyTime = false,
  certificate,
}: ReceiverOptions = {}): Promise<Receiver> {
  const secrets: string[] = [];
  const verify = (request: IncomingMessage, bytes: Buffer): ReceivedBody | null => {
    for (const secret of secrets) {
      try {
        const webhook = new Webhook(secret);
        const text = bytes.toString();
        const headers = headersOf(request);
        const body = isOfAnyTime ? verifyAtAnyTime(webhook, headers, text) : webhook.verify(text, headers);
        if (isBody(body)) return body;
      } catch {
        // Another secret may fit.
      }
    }
    return null;
  };
  const receiver: Receiver = {
    url: '',
    received: [],
    forged: 0,
    answer: accept,
    trust: (secret) => void secrets.push(secret),
    async leave() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
    comeBack: async () => listen(Number(new URL(receiver.url).port)),
    async close() {
      if (server.listening) await receiver.leave();
    },
  };
  const seen = new Map<string, number>();
  const server = createAnyServer(certificate, (request, response) => {
    void readAll(request).then((bytes) => {
      const body = verify(request, bytes);
      if (body === null) {
        receiver.forged += 1;
        response.writeHead(400).end();
        return;
      }
      const { 'webhook-id': id = '', 'webhook-signature': signatures = '' } = headersOf(request);
      receiver.received.push({ id, body, signatures: signatures.split(' ').length, at: performance.now() });
      const nth = (seen.get(id) ?? 0) + 1;
      seen.set(id, nth);
      receiver.answer({ body, nth }, response);
    });
  });
  const listen = async (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  await listen(0);
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  receiver.url = `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${address.port}/kelpie`;
  atEnd(async () => receiver.close());
  return receiver;
}
