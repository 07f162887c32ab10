import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskedFor } from './masking.ts';

const sandboxKey = { via: 'api', environment: 'sandbox' } as const;
const row = (environment: 'sandbox' | 'live' | null) => ({ environment, by: 'ada@tideway.example', detail: 'kp_live' });

test('a sandbox key reads nothing of who acted on live or on the account, and all of sandbox', () => {
  for (const environment of ['live', null] as const)
    assert.deepEqual(maskedFor(sandboxKey, row(environment)), { environment, by: 'hidden', detail: 'hidden' });
  assert.deepEqual(maskedFor(sandboxKey, { ...row('live'), detail: null }).detail, null);
  assert.deepEqual(maskedFor(sandboxKey, row('sandbox')), row('sandbox'));
});

test('a live key and people read everything', () => {
  for (const caller of [
    { via: 'api', environment: 'live' },
    { via: 'dashboard', environment: 'sandbox' },
    { via: 'dashboard', environment: 'live' },
  ] as const)
    for (const environment of ['live', 'sandbox', null] as const)
      assert.deepEqual(maskedFor(caller, row(environment)), row(environment));
});
