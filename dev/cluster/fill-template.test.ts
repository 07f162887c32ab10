import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillTemplate } from './fill-template.ts';

test('every name is filled in, as often as it appears', () => {
  assert.equal(fillTemplate('${HOST}:1,${HOST}:2', { HOST: 'node1' }), 'node1:1,node1:2');
});

test('a value with a dollar sign is taken as it is', () => {
  assert.equal(fillTemplate('password: ${PASSWORD}', { PASSWORD: '$&$1${HOST}' }), 'password: $&$1${HOST}');
});

test('a name without a value is refused', () => {
  assert.throws(() => fillTemplate('${HOST}', {}), /no value for HOST/);
});

test('a value that the template does not use is refused', () => {
  assert.throws(() => fillTemplate('text', { HOST: 'node1' }), /does not use HOST/);
});
