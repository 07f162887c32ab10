import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composeUnconnected } from '../../src/app/compose-unconnected.ts';
import { exchangeRaw } from '../attack/raw.ts';
import { createPayout } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { callAs, signIn } from '../harness/people.ts';
import { plantInvoice } from '../harness/planted-invoice.ts';
import { startApi } from '../harness/processes.ts';

const database = await createTestDatabase();
const [api, secure] = await Promise.all([
  startApi({ database }),
  startApi({ database, env: { KELPIE_PUBLIC_URL: 'https://api.kelpie.test' } }),
]);
const partner = await createSimulatedPartner(database);

/** Every path that the api has a route for, also those that no description names. */
async function listPaths(): Promise<string[]> {
  const app = await composeUnconnected();
  const paths: string[] = [];
  const above: string[] = [];
  for (const line of app.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent, part] = /^([│ ]*)[├└]── (\S+)/.exec(line) ?? [];
    if (indent === undefined || part === undefined) continue;
    const depth = indent.length / 4;
    above.splice(depth, above.length, part);
    paths.push(above.join('').replace('//', '/'));
  }
  await app.close();
  return paths.map((path) =>
    path
      .replaceAll(/:(event_)?id/g, partner.keyId)
      .replaceAll(/:\w+/g, 'none')
      .replace('*', 'none'),
  );
}

const paths = await listPaths();
/** Pages and their files are the same for everyone. Nothing else may be kept. */
const isPublic = /^\/(dashboard|docs|status|llms\.txt|robots\.txt|\.well-known\/security\.txt)/;

test('there are paths to walk', () => {
  assert(paths.length > 60, `${paths.length}`);
  for (const path of ['/', '/v1/payouts', '/healthz', '/docs/reference', '/status', '/v1/webhooks/none/roll'])
    assert(paths.includes(path.replace('none', partner.keyId)), `${path} in ${paths.join(' ')}`);
});

for (const method of ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
  test(`${method} of every route guesses no type, leaks no address, says what a page may do, and is kept only where it is public`, async () => {
    for (const path of paths) {
      for (const authorization of [`Bearer ${partner.key}`, 'Bearer none']) {
        const answer = await fetch(api.url + path, { method, headers: { authorization }, redirect: 'manual' });
        await answer.arrayBuffer();
        const { headers } = answer;
        const what = `${method} ${path}: ${answer.status}`;
        assert.equal(headers.get('x-content-type-options'), 'nosniff', what);
        assert.match(headers.get('referrer-policy') ?? 'none', /^(no-referrer|same-origin)$/, what);
        const policy = headers.get('content-security-policy') ?? '';
        assert.match(policy, /default-src 'none'/, what);
        assert.match(policy, /frame-ancestors 'none'/, what);
        assert.equal(headers.get('strict-transport-security'), null, what);
        if (!isPublic.test(path) || answer.status >= 400) assert.equal(headers.get('cache-control'), 'no-store', what);
      }
    }
  });
}

test('what a person is shown is kept by nobody, of payouts, invoices and files too', async () => {
  const person = await signIn(database, partner, { url: api.url });
  const payout = await createPayout({ url: api.url, key: partner.key });
  const invoice = await plantInvoice(database, partner.partnerId);
  const shown: string[] = [];
  for (const path of paths.filter((each) => each.startsWith('/v1/'))) {
    const ids = path.includes(partner.keyId) ? [partner.keyId, payout.id, invoice] : [''];
    for (const id of ids) {
      const answer = await callAs(person, path.replaceAll(partner.keyId, id));
      assert.equal(answer.headers.get('cache-control'), 'no-store', `${answer.status} ${path}`);
      if (answer.status === 200) shown.push(path.replaceAll(partner.keyId, 'ID'));
    }
  }
  for (const path of [
    '/v1/payouts/ID',
    '/v1/payouts/ID/recipient',
    '/v1/invoices/ID.pdf',
    '/v1/payouts.csv',
    '/v1/activity',
  ])
    assert(shown.includes(path), `${path} is not in ${shown.join(' ')}`);
});

test('where the api is reached by https, browsers are told to use nothing else', async () => {
  for (const path of paths) {
    const answer = await fetch(secure.url + path, { redirect: 'manual' });
    await answer.arrayBuffer();
    assert.equal(answer.headers.get('strict-transport-security'), 'max-age=63072000; includeSubDomains', path);
  }
});

test('what can not be read as a request, or as an address, is answered with the same headers', async () => {
  for (const bytes of ['no request\r\n\r\n', 'GET /%ff HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n']) {
    const answer = await exchangeRaw(secure.url, bytes);
    for (const header of [
      /^cache-control: no-store\r$/im,
      /^x-content-type-options: nosniff\r$/im,
      /^referrer-policy: no-referrer\r$/im,
      /^strict-transport-security: max-age=/im,
      /^content-security-policy: default-src 'none'; frame-ancestors 'none'\r$/im,
      /^request-id: /im,
    ])
      assert.match(answer, header);
  }
});

test('the pages below /docs run apart from the dashboard: their scripts have no session', async () => {
  for (const path of paths.filter((each) => /^\/docs(\/|$)/.test(each))) {
    const answer = await fetch(api.url + path, { redirect: 'manual' });
    if (!(answer.headers.get('content-type') ?? '').startsWith('text/html')) continue;
    const policy = answer.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^sandbox [^;]+;/, path);
    assert.doesNotMatch(policy, /allow-same-origin/, path);
  }
});
