import * as fc from 'fast-check';
import type { FuzzRequest } from './request.ts';

const start = 'POST /v1/payouts HTTP/1.1\r\nhost: x\r\nauthorization: Bearer <key>\r\nidempotency-key: raw-raw-raw\r\n';
const notQuiteHttp = [
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'GET /v1\r\n\r\n',
  'GET /v1 HTTP/1.0\r\n\r\n',
  'GET /v1 HTTP/3.0\r\nhost: x\r\n\r\n',
  'CONNECT example.test:443 HTTP/1.1\r\nhost: x\r\n\r\n',
  'GET  /v1  HTTP/1.1\r\nhost: x\r\n\r\n',
  'GET /v1 HTTP/1.1\nhost: x\n\n',
  'get /v1 HTTP/1.1\r\nhost: x\r\n\r\n',
  'GET /v1 HTTP/1.1\r\nhost: x\r\n folded: y\r\n\r\n',
  'GET /v1 HTTP/1.1\r\nhost : x\r\n\r\n',
  'GET /v1 HTTP/1.1\r\nhost: \u0000\r\n\r\n',
  'GET /\u0000 HTTP/1.1\r\nhost: x\r\n\r\n',
  `${start}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}`,
  `${start}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`,
  `${start}content-length: -1\r\n\r\n{}`,
  `${start}content-length: 99\r\n\r\n{}`,
  `${start}content-length: 1e3\r\n\r\n{}`,
  `${start}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
  `${start}transfer-encoding: chunked, gzip\r\n\r\n0\r\n\r\n`,
  `${start}transfer-encoding: gzip\r\n\r\n`,
  `${start}transfer-encoding: chunked\r\ncontent-type: application/json\r\n\r\nfffffffffffffffff\r\n{}\r\n`,
];

function rawRequest(partner: number, bytes: string): FuzzRequest {
  const body = Buffer.alloc(0);
  return { operation: 'none', partner, method: '', address: '', head: bytes, body, isRaw: true };
}

/** Bytes that are not, or hardly, a request. */
export function rawRequests(partners: fc.Arbitrary<number>): fc.Arbitrary<FuzzRequest> {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((noise) => Buffer.from(noise).toString('latin1'));
  return fc
    .tuple(partners, fc.oneof(fc.constantFrom(...notQuiteHttp), bytes))
    .map(([partner, written]) => rawRequest(partner, written));
}
