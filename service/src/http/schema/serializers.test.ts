import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneSerializerAShape } from './serializers.ts';

const shared = {
  Leaf: { $id: 'Leaf', type: 'object', properties: { name: { type: 'string' }, next: { $ref: 'Tree#' } } },
  Tree: { $id: 'Tree', type: 'object', properties: { leaf: { $ref: 'Leaf#' } } },
  // Nobody asks for it, so nobody finds out that it can't be compiled.
  Broken: { $id: 'Broken', type: 'no such type' },
};
const serializerOf = oneSerializerAShape(shared, {});
const route = { method: 'GET', url: '/', httpStatus: '200' };

test('an answer is written by its schema, through all shared schemas that it names', () => {
  const serialize = serializerOf({ ...route, schema: { type: 'array', items: { $ref: 'Tree#' } } });
  assert.equal(
    serialize([{ leaf: { name: 'a', next: { leaf: { name: 'b', secret: 1 } }, secret: 2 } }]),
    '[{"leaf":{"name":"a","next":{"leaf":{"name":"b"}}}}]',
  );
});

test('answers of one shape have one serializer, whatever is said of them; those of another have their own', () => {
  const first = serializerOf({ ...route, schema: { $ref: 'Leaf#', description: 'of one route' } });
  assert.equal(serializerOf({ ...route, httpStatus: '404', schema: { $ref: 'Leaf#', description: 'another' } }), first);
  const more = { $ref: 'Leaf#', properties: { extra: { type: 'string' } } };
  assert.notEqual(serializerOf({ ...route, schema: more }), first);
  const other = serializerOf({ ...route, schema: { $ref: 'Tree#', description: 'of one route' } });
  assert.notEqual(other, first);
  assert.equal(other({ name: 'a', leaf: { name: 'b' } }), '{"leaf":{"name":"b"}}');
});

test('an answer that names a schema which is not there is refused by that name', () => {
  assert.throws(() => serializerOf({ ...route, schema: { $ref: 'Missing#' } }), /no shared schema Missing/);
});
