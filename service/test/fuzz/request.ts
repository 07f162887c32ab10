import { writeJson, type JsonTree } from './json-tree.ts';

/** A request before it is written down: right, or spoilt in one of its parts. */
export interface Draft {
  operation: string;
  /** Which of the partners asks. */
  partner: number;
  method: string;
  /** Each part as it will stand in the address. */
  path: string;
  query: readonly string[];
  headers: readonly (readonly [name: string, value: string])[];
  body: JsonTree | Uint8Array | null;
  isChunked?: true;
}

/** Makes something of it wrong. */
export type Spoiler = (draft: Draft) => Draft;

/** A request as its bytes, but for what is only known when it is sent: `<key>`, `<id>`, `<foreign-id>`. */
export interface FuzzRequest {
  operation: string;
  partner: number;
  method: string;
  address: string;
  /** Each character is a byte. */
  head: string;
  body: Buffer;
  /** Not meant to be HTTP: nothing is sent behind it, and it need not be answered. */
  isRaw: boolean;
}

const nothing = Buffer.alloc(0);

function bytesOf(body: Draft['body']): Buffer {
  if (body === null) return nothing;
  return body instanceof Uint8Array ? Buffer.from(body) : Buffer.from(writeJson(body));
}

function chunked(body: Buffer): Buffer {
  const middle = body.length >> 1;
  const deps = [body.subarray(0, middle), body.subarray(middle)].filter(({ length }) => length > 0);
  const written = deps.flatMap((part) => [`${part.length.toString(16)}\r\n`, part, '\r\n']);
  return Buffer.concat([...written, '0\r\n\r\n'].map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}

export function writeRequest(draft: Draft): FuzzRequest {
  const { operation, partner, method, path, query } = draft;
  const body = bytesOf(draft.body);
  const address = query.length === 0 ? path : `${path}?${query.join('&')}`;
  const framing = draft.isChunked
    ? ['transfer-encoding: chunked']
    : draft.body === null
      ? []
      : [`content-length: ${body.length}`];
  const headers = draft.headers.map(([name, value]) => `${name}: ${value}`);
  const lines = [`${method} ${address} HTTP/1.1`, ...headers, ...framing];
  return {
    operation,
    partner,
    method,
    address,
    head: `${lines.join('\r\n')}\r\n\r\n`,
    body: draft.isChunked ? chunked(body) : body,
    isRaw: false,
  };
}

/** One line that `npm run fuzz -- --repeat` takes. */
export function packRequest(request: FuzzRequest): string {
  const packed = JSON.stringify({ ...request, body: request.body.toString('base64') });
  return Buffer.from(packed).toString('base64url');
}

export function unpackRequest(line: string): FuzzRequest {
  const packed: unknown = JSON.parse(Buffer.from(line, 'base64url').toString());
  const part = (name: string): unknown => Reflect.get(Object(packed), name);
  return {
    operation: String(part('operation')),
    partner: Number(part('partner')),
    method: String(part('method')),
    address: String(part('address')),
    head: String(part('head')),
    body: Buffer.from(String(part('body')), 'base64'),
    isRaw: part('isRaw') === true,
  };
}
