import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valueAt } from '@kelpie/dev/json.ts';
import { systemClock } from '../../platform/clock.ts';
import { createLogger } from '../../platform/logging.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { describeRoutes } from '../reference/describe-routes.ts';
import { createServer, type Server } from '../server.ts';

async function newServer(): Promise<Server> {
  const logger = createLogger('test', 'silent');
  const { app } = createServer({
    clock: systemClock,
    logger,
    meter: createMetrics().meter,
    supportEmail: 'support@kelpie.example',
    retryAfterSeconds: () => 1,
  });
  await describeRoutes(app, { publicUrl: 'http://localhost:4000', supportEmail: 'support@kelpie.example' });
  return app;
}

test('a route of the API that does not say who may ask for it does not start', async () => {
  const app = await newServer();
  for (const url of ['/v1/planted', '/v1', '/'])
    assert.throws(() => app.get(url, async () => ({})), /has to say who may ask for it/, url);
  const hidden = { schema: { hide: true } };
  assert.throws(() => app.get('/v1/hidden', hidden, async () => ({})), /has to say who may ask for it/);
  app.get('/v1/planted', { config: { access: 'readers' } }, async () => ({}));
});

test('the description says of a route who may ask, and what follows from that', async () => {
  const app = await newServer();
  app.get('/v1/for-anybody', { config: { access: 'anybody' } }, async () => ({}));
  app.get('/v1/for-readers', { config: { access: 'readers' } }, async () => ({}));
  app.get('/v1/of-both', { config: { access: 'readers', ofBothEnvironments: true } }, async () => ({}));
  app.get('/v1/for-admins', { config: { access: 'admins', ofBothEnvironments: true } }, async () => ({}));
  await app.ready();
  const described = ['/v1/for-anybody', '/v1/for-readers', '/v1/of-both', '/v1/for-admins'].map((path) => {
    const operation: unknown = valueAt(app.swagger(), `paths.${path}.get`);
    const answers = JSON.stringify(valueAt(operation, 'responses'));
    const codes = [...answers.matchAll(/`([a-z_]+)`:/g)].map(([, code]) => code);
    return [path, valueAt(operation, 'x-access'), JSON.stringify(valueAt(operation, 'security')), codes.join(' ')];
  });
  const either = '[{"apiKey":[]},{"session":[]}]';
  assert.deepEqual(described, [
    ['/v1/for-anybody', 'anybody', '[]', ''],
    [
      '/v1/for-readers',
      'readers',
      either,
      'unauthorized cross_site_request verification_required session_changed invalid_request',
    ],
    ['/v1/of-both', 'readers', either, 'unauthorized cross_site_request session_changed invalid_request'],
    [
      '/v1/for-admins',
      'admins',
      '[{"session":[]}]',
      'unauthorized cross_site_request api_key_required session_required session_changed invalid_request',
    ],
  ]);
});
