import { randomUUID } from 'node:crypto';
import { eventually } from '@kelpie/dev/eventually.ts';
import { canaries, call, createPayout, payoutBody } from '../harness/client.ts';
import { findLeaks } from '../harness/invariants.ts';
import { callAs } from '../harness/people.ts';
import { askCode, giveCode, readCode } from '../harness/sign-in.ts';
import type { Attack } from './attempts.ts';
import { exchangeRaw } from './raw.ts';
import { createVictim } from './stage.ts';

// Attacks by what we send out: emails, pages, logs.

const mailHeaders: Attack = {
  name: 'mail-header-injection',
  tries: 'a line break in a name or label adds a recipient, or a sentence of its own, to an email of ours',
  async run(stage, attempts) {
    const [{ url }] = stage.apis;
    const { admin } = await createVictim(stage);
    const injected = 'x\r\nBcc: bcc@evil.example\r\n\r\nFrozen: call 020';
    const label = injected.slice(0, 60);
    const made = await callAs(admin, '/v1/keys', { method: 'POST', body: { environment: 'sandbox', label } });
    if (made.status === 201) {
      const mail = await stage.inbox.waitForMail(admin.email, 30_000);
      attempts.add('a label starts a line of the email', /^(Bcc|Frozen):/m.test(`${mail.subject}\n${mail.text}`));
    }
    for (const name of [injected, 'x\nTo: bcc@evil.example', 'x\u2028y', 'x\u0000y']) {
      const body = { email: `${randomUUID()}@invited.test`, name, role: 'viewer' };
      const invited = await callAs(admin, '/v1/members', { method: 'POST', body });
      attempts.mustBe('a name of a member', invited, '422 invalid_request');
      const business = { email: 'new@invited.test', name, slug: `s-${randomUUID().slice(0, 8)}` };
      const signUp = await call({ url, key: null }, '/v1/signup', { method: 'POST', body: business });
      attempts.mustBe('a name of a business', signUp, '422 invalid_request');
      const address = `a${name}@invited.test`;
      attempts.mustBe('an address', await askCode(url, address), '422 invalid_request');
    }
    const stranger = stage.inbox.mails().filter(({ to }) => to.includes('bcc@evil.example'));
    attempts.add(`${stranger.length} emails to a stranger`, stranger.length > 0);
  },
};

const framing: Attack = {
  name: 'framing',
  tries: 'another site shows a page of the dashboard in a frame, or has its type guessed',
  async run({ apis: [{ url }] }, attempts) {
    for (const address of ['/dashboard/', '/dashboard/sign-in', '/dashboard/keys', '/dashboard/not-me']) {
      const head = await exchangeRaw(url, `GET ${address} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      const [policy = ''] = /^content-security-policy: .*$/im.exec(head) ?? [];
      attempts.add(`${address} in a frame`, !policy.includes(`frame-ancestors 'none'`));
      attempts.add(`${address} with a script of its own`, !policy.includes(`script-src 'self';`));
      attempts.add(`${address} of another type`, !/^x-content-type-options: nosniff/im.test(head));
    }
  },
};

const logs: Attack = {
  name: 'secrets-in-logs',
  tries: 'keys, codes, cookies and bank details are put where a log could take them up',
  async run(stage, attempts) {
    const { apis, inbox, world } = stage;
    const [{ url }] = apis;
    const { sandbox, admin } = await createVictim(stage);
    const token = admin.cookie.split('=')[1] ?? '';
    const client = { url, key: sandbox.key };
    await askCode(url, admin.email);
    const code = await readCode(inbox, admin.email);
    await giveCode(url, { email: admin.email, code });
    const spoken = encodeURIComponent(`${sandbox.key} ${token} ${code} ${admin.email} ${canaries.accountNumber}`);
    for (const path of [`/v1/payouts?reference=${spoken}`, `/v1/${spoken}`, `/v1/payouts/${spoken}`, `/${spoken}`]) {
      const asked = `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${sandbox.key}\r\nuser-agent: ${spoken}\r\n`;
      await exchangeRaw(url, `${asked}connection: close\r\n\r\n`);
      await exchangeRaw(url, `${asked}x: \u0000\r\n\r\n`);
    }
    await createPayout(client, payoutBody({ amount_gbp: 'x', unknown: canaries.accountNumber }));
    await createPayout(client, payoutBody({}, { bank: { account_number: sandbox.key } }));
    await callAs(admin, '/v1/keys', { method: 'POST', body: `{"label": "${sandbox.key}"` });
    const marker = await createPayout(client, payoutBody({ amount_gbp: '1.00' }));
    await eventually('the last of it is logged', async () =>
      apis[0].output().includes(marker.headers.get('request-id') ?? ''),
    );
    const said = world.processes.map((child) => child.output()).join('\n');
    for (const [what, secret] of Object.entries({ key: sandbox.key, token, email: admin.email }))
      attempts.add(`a ${what} in a log`, said.includes(secret));
    attempts.add('a code in a log', new RegExp(`(?<![0-9a-f.-])${code}(?![0-9a-f-])`).test(said));
    const leaks = findLeaks(world.processes);
    attempts.add(leaks.join('; '), leaks.length > 0);
  },
};

export const outputAttacks: readonly Attack[] = [mailHeaders, framing, logs];
