import { valueAt } from '@kelpie/dev/json.ts';
import { canaries } from '../harness/client.ts';
import { assertDeclared, mediaTypeOf } from '../harness/contract.ts';
import { says } from '../harness/invariants.ts';
import { testSecrets } from '../harness/secrets.ts';
import type { RawAnswer } from './connection.ts';
import type { FuzzRequest } from './request.ts';

/** Said of the connection rather than by an operation: any request can be spoilt so far. */
const codesOfConnection = new Set<unknown>(['malformed_request', 'headers_too_large', 'request_timeout']);

const never = [...Object.values(canaries), ...Object.values(testSecrets)];
const secretOfKey = /kp_(sandbox|live)_[a-f0-9]{9,}/;

function leakIn({ headers, text }: RawAnswer): string | undefined {
  const said = `${[...headers.values()].join('\n')}\n${text}`;
  if (secretOfKey.test(said)) return 'it gives away a key';
  const canary = never.find((secret) => says(said, secret));
  return canary === undefined ? undefined : `it gives away ${canary}`;
}

/** What the answer has not, that every answer has. */
function formFault({ status, headers }: RawAnswer): string | undefined {
  if (!(status >= 200 && status < 500)) return `the status ${status}`;
  if (!/^[0-9a-f-]{36}$/.test(headers.get('request-id') ?? '')) return 'no Request-Id';
  if (!headers.has('content-type')) return 'it is not said what it is';
  return undefined;
}

/** An address may name a host before its path, and what stands behind a # is no part of it. */
function askedBy({ method, address }: FuzzRequest): { method: string; address: string } {
  return { method, address: address.replace(/^https?:\/\/[^/?#]*/i, '').replace(/#.*$/s, '') };
}

function bodyFault(request: FuzzRequest, { status, headers, text, json }: RawAnswer): string | undefined {
  const type = headers.get('content-type') ?? '';
  if (mediaTypeOf(type) === 'application/json' && json === undefined) return 'a body that is not JSON';
  const ofConnection = codesOfConnection.has(valueAt(json, 'error.code'));
  try {
    assertDeclared(ofConnection ? { method: '', address: '' } : askedBy(request), { status, type, json, text });
  } catch (error) {
    return error instanceof Error ? error.message : 'it is not declared';
  }
  return undefined;
}

/** What is wrong with an answer, whatever was asked; undefined where nothing is. */
export function findFault(request: FuzzRequest, answer: RawAnswer | null): string | undefined {
  if (answer === null) return request.isRaw ? undefined : 'no answer';
  // What is another partner's is as good as none.
  if (askedBy(request).address.includes('<foreign-id>') && answer.status < 400)
    return "it shows what is another partner's";
  const isBodiless = request.method === 'HEAD';
  return formFault(answer) ?? leakIn(answer) ?? (isBodiless ? undefined : bodyFault(request, answer));
}
