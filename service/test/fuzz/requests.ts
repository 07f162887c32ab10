import * as fc from 'fast-check';
import { describedOperations, type DescribedOperation, type Parameter } from './described-operations.ts';
import { percentEncoded } from './hostile-addresses.ts';
import { treeOf, type JsonTree } from './json-tree.ts';
import { bodySpoilers } from './mutations.ts';
import { rawRequests } from './raw-requests.ts';
import { writeRequest, type Draft, type FuzzRequest, type Spoiler } from './request.ts';
import { addressSpoilers, spoilers } from './spoilers.ts';
import { valuesOf } from './valid-values.ts';

/** How many texts of each field are made, once for a run. */
const textsOfAField = 100;

/** What an answer has told is named by a mark, and put in when the request is sent. */
const remembered = new Set(['id', 'slug', 'idempotency-key']);

function parameterTexts({ name, schema }: Parameter, seed: number): fc.Arbitrary<string> {
  const made = valuesOf(schema, name, { seed }).map(String);
  if (!remembered.has(name)) return made;
  const marks = name === 'id' ? ['<id>', '<id>', '<id>', '<foreign-id>'] : [`<${name}>`];
  return fc.oneof({ arbitrary: made, weight: name === 'idempotency-key' ? 20 : 1 }, fc.constantFrom(...marks));
}

/** The parameters of one place that are sent: those that must be, and some of the others. */
function parametersOf({ parameters }: DescribedOperation, place: Parameter['place'], seed: number) {
  const own = parameters.filter((parameter) => parameter.place === place);
  const isSent = fc.nat(3).map((number) => number === 0);
  const each = own.map((parameter) =>
    fc
      .tuple(parameter.isRequired ? fc.constant(true) : isSent, parameterTexts(parameter, seed))
      .map(([sent, value]) => ({ name: parameter.name, value, sent })),
  );
  return fc.tuple(...each).map((all) => all.filter(({ sent }) => sent));
}

/** A mark stays one; all else is written as an address carries it. */
function inAddress(value: string): string {
  return /^<[a-z-]+>$/.test(value) ? value : percentEncoded(value);
}

function headersOf(body: JsonTree | null): [string, string][] {
  const type: [string, string][] = body === null ? [] : [['content-type', 'application/json']];
  return [['host', 'api.kelpie.test'], ['authorization', 'Bearer <key>'], ...type];
}

/** Requests that are right in everything that the description says. */
function validDrafts(operation: DescribedOperation, partners: fc.Arbitrary<number>, seed: number): fc.Arbitrary<Draft> {
  const { id, method } = operation;
  const bodies: fc.Arbitrary<JsonTree | null> =
    operation.body === undefined
      ? fc.constant(null)
      : valuesOf(operation.body, 'body', { seed, pool: textsOfAField }).map(treeOf);
  return fc
    .tuple(
      partners,
      parametersOf(operation, 'path', seed),
      parametersOf(operation, 'query', seed),
      parametersOf(operation, 'header', seed),
      bodies,
    )
    .map(([partner, inPath, inQuery, inHeaders, body]) => ({
      operation: id,
      partner,
      method,
      path: inPath.reduce((path, { name, value }) => path.replace(`{${name}}`, () => inAddress(value)), operation.path),
      query: inQuery.map(({ name, value }) => `${name}=${inAddress(value)}`),
      headers: [...headersOf(body), ...inHeaders.map(({ name, value }): [string, string] => [name, value])],
      body,
    }));
}

/** What is wrong is in the body, where there is one. */
function spoilNearly(draft: Draft, spoilBody: (body: JsonTree) => JsonTree, spoilAddress: Spoiler): Draft {
  const { body } = draft;
  return body === null || body instanceof Uint8Array ? spoilAddress(draft) : { ...draft, body: spoilBody(body) };
}

function nearlyValid(drafts: fc.Arbitrary<Draft>): fc.Arbitrary<Draft> {
  return fc.tuple(drafts, bodySpoilers, addressSpoilers).map((deps) => spoilNearly(...deps));
}

function hostile(drafts: fc.Arbitrary<Draft>): fc.Arbitrary<Draft> {
  return fc
    .tuple(drafts, fc.array(spoilers, { minLength: 1, maxLength: 2 }))
    .map(([draft, spoils]) => spoils.reduce((spoilt, spoil) => spoil(spoilt), draft));
}

function draftsOf(operation: DescribedOperation, partners: fc.Arbitrary<number>, seed: number): fc.Arbitrary<Draft> {
  const valid = validDrafts(operation, partners, seed);
  return fc.oneof(
    // Where there is nothing to fill in, one that is right is always the same.
    { arbitrary: valid, weight: weightOf(operation) === 1 ? 5 : 35 },
    { arbitrary: nearlyValid(valid), weight: 35 },
    { arbitrary: hostile(valid), weight: 30 },
  );
}

/** Most go where most can be wrong, and first of all where money moves. */
function weightOf({ body, parameters }: DescribedOperation): number {
  if (parameters.some(({ name }) => name === 'idempotency-key')) return 24;
  if (body !== undefined) return 8;
  return parameters.length > 1 ? 2 : 1;
}

/** Requests of every operation that is described. */
export function requestsFor(partnerCount: number, seed: number): fc.Arbitrary<FuzzRequest> {
  const partners = fc.nat(partnerCount - 1);
  const drafts = describedOperations.map((operation) => ({
    arbitrary: draftsOf(operation, partners, seed),
    weight: weightOf(operation),
  }));
  return fc.oneof(
    { arbitrary: fc.oneof(...drafts).map(writeRequest), weight: 99 },
    { arbitrary: rawRequests(partners), weight: 1 },
  );
}
