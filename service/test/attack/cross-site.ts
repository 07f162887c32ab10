import { askFromPage, foreignPages, isOpen } from '../access/foreign-pages.ts';
import { operations } from '../harness/contract.ts';
import type { Attack } from './attempts.ts';
import { createVictim } from './stage.ts';

// Attacks by a page of another site, in the browser of somebody who is signed in or about to be.

const ownOrigin = 'http://api.kelpie.test';
const refusal = '403 cross_site_request';

const csrf: Attack = {
  name: 'csrf',
  tries: "another site's page sends every request with the admin's cookie",
  async run(stage, attempts) {
    const [{ url }] = stage.apis;
    const {
      admin: { cookie },
    } = await createVictim(stage);
    for (const operation of operations.filter((each) => !isOpen(each))) {
      for (const [page, headers] of Object.entries(foreignPages(ownOrigin)))
        attempts.mustBe(
          `${operation.id} from ${page}`,
          await askFromPage(url, operation, { cookie, ...headers }),
          refusal,
        );
      if (operation.method === 'GET') continue;
      attempts.mustBe(`${operation.id} without an origin`, await askFromPage(url, operation, { cookie }), refusal);
    }
  },
};

const loginCsrf: Attack = {
  name: 'login-csrf',
  tries: "another site's page signs a browser in as the attacker",
  async run({ apis: [{ url }] }, attempts) {
    for (const operation of operations.filter((each) => isOpen(each) && each.method === 'POST')) {
      for (const [page, headers] of Object.entries(foreignPages(ownOrigin)))
        attempts.mustBe(`${operation.id} from ${page}`, await askFromPage(url, operation, headers), refusal);
      const form = await askFromPage(url, operation, { 'content-type': 'text/plain' });
      attempts.mustBe(`${operation.id} as a form`, form, '415 unsupported_media_type');
    }
  },
};

const cors: Attack = {
  name: 'cors',
  tries: "another site's script reads our answers",
  async run({ apis: [{ url }] }, attempts) {
    const paths = ['/v1', '/v1/account', '/v1/payouts', '/v1/keys', '/v1/auth/session', '/v1/public/partners/none'];
    for (const path of paths) {
      for (const origin of ['https://evil.example', 'null', `${ownOrigin}.evil.example`]) {
        for (const method of ['GET', 'OPTIONS', 'POST']) {
          const preflight = {
            'access-control-request-method': 'POST',
            'access-control-request-headers': 'authorization',
          };
          const answer = await fetch(url + path, {
            method,
            headers: { origin, ...(method === 'OPTIONS' ? preflight : {}) },
            signal: AbortSignal.timeout(10_000),
          });
          await answer.arrayBuffer();
          const allowed = [...answer.headers.keys()].filter((header) => header.startsWith('access-control-allow'));
          attempts.add(`${method} ${path} from ${origin}: ${allowed.join()}`, allowed.length > 0);
        }
      }
    }
  },
};

export const crossSiteAttacks: readonly Attack[] = [csrf, loginCsrf, cors];
