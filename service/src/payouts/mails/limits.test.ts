import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitsChangedMail } from './limits-changed.ts';
import { unusualVolumeMail } from './unusual-volume.ts';

const dashboardUrl = 'https://dashboard.example';

test('the email about changed limits says what they were, who changed them and when', () => {
  const { lead, blocks } = limitsChangedMail({
    business: 'Tideway',
    environment: 'live',
    changed: [{ label: 'Daily limit', from: '50000.00 GBP', to: '30000.00 GBP' }],
    by: 'ada@tideway.example',
    at: new Date('2026-11-16T09:30:00Z'),
    dashboardUrl,
  });
  assert.equal(lead, 'ada@tideway.example changed the live payout limits of Tideway.');
  const [facts] = blocks;
  assert(facts?.kind === 'facts');
  assert.deepEqual(facts.facts[2], ['Daily limit', '30000.00 GBP (before: 50000.00 GBP)']);
});

test('the email about unusual volume compares with the 30 days before, also where there were none', () => {
  const volume = { business: 'Tideway', environment: 'live', spent: 1_234_500n, dashboardUrl } as const;
  const { subject, blocks } = unusualVolumeMail({ ...volume, highest: 200_000n });
  assert.equal(subject, 'Unusual payout volume: £12,345.00 today');
  assert.match(JSON.stringify(blocks), /The highest day of the 30 days before was £2,000\.00\./);
  assert.match(JSON.stringify(unusualVolumeMail({ ...volume, highest: 0n }).blocks), /There were no payouts/);
  assert(!JSON.stringify(unusualVolumeMail({ ...volume, highest: 0n, dashboardUrl: null }).blocks).includes('link'));
});
