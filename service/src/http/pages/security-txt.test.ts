import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '../../platform/logging.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { createServer } from '../server.ts';
import { addSecurityTxt } from './security-txt.ts';

const supportEmail = 'support@kelpie.example';
const publicUrl = 'https://api.kelpie.example';

test('security.txt names a contact, and never lapses: it expires half a year after the day on which it is read', async () => {
  let now = new Date('2026-11-19T12:00:00Z');
  const clock = { now: () => now };
  const { app, finish } = createServer({
    clock,
    logger: createLogger('test', 'silent'),
    meter: createMetrics().meter,
    supportEmail,
    retryAfterSeconds: () => 1,
  });
  addSecurityTxt(app, { clock, publicUrl, supportEmail, limitOpen: (_request, _reply, next) => next() });
  finish();
  const answer = await app.inject('/.well-known/security.txt');
  assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8');
  assert.equal(
    answer.body,
    `Contact: mailto:${supportEmail}\nExpires: 2027-05-18T00:00:00.000Z\nPreferred-Languages: en\nCanonical: ${publicUrl}/.well-known/security.txt\n`,
  );
  now = new Date('2030-01-01T00:00:00Z');
  assert.match((await app.inject('/.well-known/security.txt')).body, /^Expires: 2030-06-30T/m);
  await app.close();
});
