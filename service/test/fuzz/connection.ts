import { connect, type Socket } from 'node:net';

/** An answer as it came. */
export interface RawAnswer {
  status: number;
  /** By their names in small letters. */
  headers: ReadonlyMap<string, string>;
  text: string;
  /** Undefined where it is not JSON. */
  json: unknown;
}

/** Longer than any answer takes, and than the api waits for a request that does not come whole. */
const patienceMs = 30_000;

/**
 * A connection that takes any bytes: a client library would refuse to send most of what is to be tried. It is kept for the
 * next request, as a partner's is, until the api closes it.
 */
export interface Connection {
  /** Null where no answer came: the connection was closed, or our patience is at its end. */
  exchange(request: { bytes: Buffer; isHead: boolean; isLast: boolean }): Promise<RawAnswer | null>;
  close(): void;
}

const headEnd = Buffer.from('\r\n\r\n');

interface Head {
  status: number;
  headers: Map<string, string>;
  /** Where the body begins. */
  bodyAt: number;
}

/** The head of the answer, once all of it is there. What only says "go on" is passed over. */
function readHead(received: Buffer, from = 0): Head | undefined {
  const end = received.indexOf(headEnd, from);
  if (end === -1) return undefined;
  const [first = '', ...lines] = received.toString('latin1', from, end).split('\r\n');
  const status = Number(first.slice(9, 12));
  const bodyAt = end + headEnd.length;
  if (status < 200) return readHead(received, bodyAt);
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status, headers: new Map(headers), bodyAt };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A body in chunks, as a file is sent that is still being written; undefined while some are to come. */
function readChunks(received: Buffer, from: number): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let at = from; ;) {
    const end = received.indexOf('\r\n', at);
    if (end === -1) return undefined;
    const size = Number.parseInt(received.toString('latin1', at, end), 16);
    at = end + 2;
    if (received.length < at + size + 2) return undefined;
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(received.subarray(at, at + size));
    at += size + 2;
  }
}

function readBody(received: Buffer, { headers, bodyAt }: Head): Buffer | undefined {
  if (headers.get('transfer-encoding') === 'chunked') return readChunks(received, bodyAt);
  const end = bodyAt + Number(headers.get('content-length') ?? 0);
  return received.length < end ? undefined : received.subarray(bodyAt, end);
}

function readAnswer(received: Buffer, isHead: boolean): RawAnswer | undefined {
  const head = readHead(received);
  const body = head === undefined || isHead ? Buffer.alloc(0) : readBody(received, head);
  if (head === undefined || body === undefined) return undefined;
  const { status, headers } = head;
  const text = body.toString('utf8');
  return { status, headers, text, json: parse(text) };
}

async function answerOn(socket: Socket, isHead: boolean): Promise<RawAnswer | null> {
  return new Promise((resolve) => {
    let received: Buffer = Buffer.alloc(0);
    const settle = (answer: RawAnswer | null): void => {
      socket.removeAllListeners('data').removeAllListeners('close').removeAllListeners('timeout');
      resolve(answer);
    };
    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const answer = readAnswer(received, isHead);
      if (answer !== undefined) settle(answer);
    });
    socket.on('close', () => settle(null));
    socket.on('timeout', () => socket.destroy());
  });
}

export function openConnection(port: number): Connection {
  let socket: Socket | undefined;
  const open = (): Socket => {
    const opened = connect({ port, host: '127.0.0.1', noDelay: true });
    opened.setTimeout(patienceMs);
    // What went wrong is seen by the answer that does not come.
    opened.on('error', () => undefined);
    return opened;
  };
  return {
    async exchange({ bytes, isHead, isLast }) {
      const used = socket !== undefined && !socket.destroyed && socket.readable ? socket : open();
      socket = used;
      if (isLast) used.end(bytes);
      else used.write(bytes);
      const answer = await answerOn(used, isHead);
      if (isLast || answer === null || answer.headers.get('connection') === 'close') {
        used.destroy();
        socket = undefined;
      }
      return answer;
    },
    close: () => void socket?.destroy(),
  };
}
