import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { projectFolder } from '@kelpie/dev/project.ts';
import { errorCodes } from '../../src/http/errors/error-codes.ts';
import { description } from '../harness/contract.ts';
import { referenceProblems } from './reference-problems.ts';

test('every operation, parameter, body, response, property and error code has a description and a valid example', () => {
  assert.deepEqual(referenceProblems(description), []);
});

/** The description after a change to it, for a reader that must notice. */
function planted(path: string, change: (around: object, name: string) => void): unknown {
  const copy: unknown = structuredClone(description);
  const names = path.split(' ');
  const name = names.pop() ?? '';
  const around = names.reduce<unknown>((value, part) => valueAt({ value }, `value.${part}`), copy);
  assert(typeof around === 'object' && around !== null, path);
  change(around, name);
  return copy;
}

const remove = (around: object, name: string): void => void Reflect.deleteProperty(around, name);
const set =
  (value: unknown) =>
  (around: object, name: string): void =>
    void Reflect.set(around, name, value);

test('what is missing or wrong is found by its name', () => {
  const post = 'paths /v1/payouts post';
  const cases: [path: string, change: (around: object, name: string) => void, problem: RegExp][] = [
    ['servers', remove, /no server/],
    [`${post} description`, remove, /createPayout has no description/],
    [`${post} summary`, set('What a payout is'), /createPayout: its summary/],
    [`${post} tags`, set(['Elsewhere']), /createPayout is in no group/],
    [`${post} x-codeSamples`, remove, /createPayout has no sample/],
    [`${post} requestBody content application/json examples`, remove, /createPayout body .* has no example/],
    [`${post} responses 201 content application/json examples`, remove, /createPayout 201 .* has no example/],
    [`${post} responses 201 description`, set('Default Response'), /createPayout 201 has no description/],
    [`${post} responses 402 content application/json examples`, remove, /createPayout 402 .* has no example/],
    ['components examples insufficient_funds', remove, /error insufficient_funds has no example/],
    ['components examples Payout value fee_gbp', set('9.5'), /getPayout 200 .*: an example is invalid/],
    ['components examples Payout value fee_gbp', remove, /Payout.fee_gbp has no example/],
    ['components schemas Payout properties fee_gbp description', remove, /Payout.fee_gbp has no description/],
    [
      'components schemas Payout properties recipient properties name description',
      remove,
      /Payout.recipient.name has no/,
    ],
    ['components schemas InsufficientFundsDetails description', remove, /InsufficientFundsDetails has no description/],
  ];
  for (const [path, change, problem] of cases) {
    const found = referenceProblems(planted(path, change));
    assert(
      found.some((text) => problem.test(text)),
      `${path}: ${found.join('; ')}`,
    );
  }
});

test('the amounts of the error example are those of the payout that the other examples show', () => {
  const { details } = errorCodes.insufficient_funds.example;
  assert.equal(
    textAt(details, 'required_usdc'),
    textAt(description, 'components.examples.Quote.value.wallet_sends_usdc'),
  );
  const cents = (name: string): number => Number(textAt(details, name).replace('.', ''));
  assert.equal(cents('required_usdc') - cents('available_usdc'), cents('shortfall_usdc'));
});

test('docs/partners/errors.md shows an error as the reference does', () => {
  const page = readFileSync(`${projectFolder}/docs/partners/errors.md`, 'utf8');
  const [, shown = ''] = /```json Error\n([^]*?)```/.exec(page) ?? [];
  assert.deepEqual(JSON.parse(shown), valueAt(description, 'components.examples.insufficient_funds.value'));
});
