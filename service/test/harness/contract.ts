import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { projectFolder } from '@kelpie/dev/project.ts';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

// What openapi.json promises, held against what was really answered.

export const description: unknown = JSON.parse(readFileSync(`${projectFolder}/openapi.json`, 'utf8'));

export interface Operation {
  method: string;
  /** With braces: /v1/payouts/{id}. */
  path: string;
  id: string;
  /** The rule by which it is open: `readers`, say. */
  access: string;
  statuses: number[];
  /** The codes of errors that it declares, with their statuses. */
  codes: { status: number; code: string }[];
  /** All that the description says of it. */
  described: unknown;
}

function entriesAt(json: unknown, path: string): [string, unknown][] {
  const value = path === '' ? json : valueAt(json, path);
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function operationOf(method: string, path: string, described: unknown): Operation {
  const responses = entriesAt(described, 'responses');
  return {
    method: method.toUpperCase(),
    path,
    id: textAt(described, 'operationId'),
    access: textAt(described, 'x-access'),
    statuses: responses.map(([status]) => Number(status)),
    codes: entriesAt(described, 'x-error-codes').flatMap(([status, codes]) =>
      (Array.isArray(codes) ? codes : []).map((code) => ({ status: Number(status), code: String(code) })),
    ),
    described,
  };
}

export const operations: readonly Operation[] = entriesAt(description, 'paths').flatMap(([path, item]) =>
  entriesAt(item, '').map(([method, described]) => operationOf(method, path, described)),
);

function isMatch({ method, path }: Operation, asked: { method: string; path: string }): boolean {
  const form = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  return method === asked.method && form.test(asked.path);
}

function findOperation(method: string, address: string): Operation | undefined {
  const [path = ''] = address.split('?');
  const fitting = operations.filter((operation) => isMatch(operation, { method, path }));
  // The address of a file is that of its thing, and a little more: the longer one is meant.
  return fitting.toSorted((one, two) => two.path.length - one.path.length)[0];
}

/** The same schema, but one that knows no field it does not name: what is answered besides is found too. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  // The variants of an object name some of its fields only: the object itself knows them all.
  const isVariants = (name: string): boolean => name === 'oneOf' && 'properties' in schema;
  const deps = Object.fromEntries(
    Object.entries(schema).map(([name, part]) => [name, isVariants(name) ? part : closed(part)]),
  );
  return 'properties' in schema && !('additionalProperties' in schema)
    ? { ...deps, additionalProperties: false }
    : deps;
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ $id: 'api', components: closed(valueAt(description, 'components')) });

const validators = new Map<string, ValidateFunction>();

function validatorOf(name: string): ValidateFunction {
  const known = validators.get(name) ?? ajv.compile({ $ref: `api#/components/schemas/${name}` });
  validators.set(name, known);
  return known;
}

interface Answer {
  status: number;
  /** As its header says it. */
  type: string;
  /** Undefined where it is called something else. */
  json: unknown;
  text: string;
}

const jsonType = 'application/json';

export function mediaTypeOf(type: string): string {
  return type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** The answer of a call, once its body is read. */
export function readAs(type: string, text: string): unknown {
  return mediaTypeOf(type) === jsonType && text !== '' ? JSON.parse(text) : undefined;
}

function assertFits(name: string, { json, text }: Answer): void {
  const validate = validatorOf(name);
  assert(validate(json), `not a ${name}: ${ajv.errorsText(validate.errors)} in ${text.slice(0, 500)}`);
}

/** What an operation answers, it has declared: the status, the code of an error, and the form of the body. */
export function assertDeclared(asked: { method: string; address: string }, answer: Answer): void {
  const operation = findOperation(asked.method, asked.address);
  if (operation === undefined) {
    assert.equal(mediaTypeOf(answer.type), jsonType, answer.text.slice(0, 300));
    if (answer.status >= 400) assertFits('Error', answer);
    return;
  }
  const { status } = answer;
  const said = `${operation.id} answered ${status}: ${answer.text.slice(0, 300)}`;
  assert(operation.statuses.includes(status), `${said}, which it does not declare`);
  const content = entriesAt(operation.described, `responses.${status}.content`);
  const [, declared] = content.find(([name]) => name === mediaTypeOf(answer.type)) ?? [];
  assert(declared !== undefined, `${said}, as ${answer.type}, which it does not declare`);
  // What is not JSON is a file: its own tests read it.
  if (mediaTypeOf(answer.type) !== jsonType) return;
  assertFits(textAt(declared, 'schema.$ref').replace('#/components/schemas/', ''), answer);
  if (status < 400) return;
  const code = textAt(answer.json, 'error.code');
  const isCodeDeclared = operation.codes.some((known) => known.status === status && known.code === code);
  assert(isCodeDeclared, `${said}, whose code it does not declare`);
}
