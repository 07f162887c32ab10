import { callAs } from '../harness/people.ts';
import type { Attack } from './attempts.ts';
import { exchangeRaw } from './raw.ts';
import { createVictim } from './stage.ts';

// Attacks through the browser of somebody who is signed in.

const keptAnswers: Attack = {
  name: 'kept-answers',
  tries: 'an answer of the API stays in a shared browser, has its type guessed, or is shown in a frame',
  async run(stage, attempts) {
    const { admin, sandbox } = await createVictim(stage);
    const [{ url }] = stage.apis;
    for (const path of ['/v1/account', '/v1/keys', '/v1/payouts.csv', '/v1/auth/session', '/v1/nothing']) {
      const withKey = await fetch(url + path, { headers: { authorization: `Bearer ${sandbox.key}` } });
      await withKey.arrayBuffer();
      for (const { headers } of [await callAs(admin, path), withKey]) {
        attempts.add(`${path} is kept`, headers.get('cache-control') !== 'no-store');
        attempts.add(`${path} is of another type`, headers.get('x-content-type-options') !== 'nosniff');
        const policy = headers.get('content-security-policy') ?? '';
        attempts.add(`${path} in a frame`, !policy.includes(`frame-ancestors 'none'`));
      }
    }
  },
};

const docsSession: Attack = {
  name: 'docs-session',
  tries: 'a script on a page of the docs calls the API with the session of the reader',
  async run({ apis: [{ url }] }, attempts) {
    for (const path of ['/docs', '/docs/reference', '/docs/reference/', '/docs/webhooks']) {
      const answer = await exchangeRaw(url, `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      if (!/^content-type: text\/html/im.test(answer)) continue;
      const [policy = ''] = /^content-security-policy: .*$/im.exec(answer) ?? [];
      attempts.add(`${path} has our origin`, !policy.includes('sandbox ') || policy.includes('allow-same-origin'));
    }
  },
};

export const browserAttacks: readonly Attack[] = [keptAnswers, docsSession];
