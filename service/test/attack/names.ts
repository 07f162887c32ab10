import { randomUUID } from 'node:crypto';
import { call, createPayout, payoutBody } from '../harness/client.ts';
import { callAs } from '../harness/people.ts';
import type { Attack } from './attempts.ts';
import { createVictim } from './stage.ts';

// Attacks by a text that others read.

const turnedNames: Attack = {
  name: 'turned-names',
  tries: 'a name turns the text behind it round, or looks like another name, to whoever reads it',
  async run(stage, attempts) {
    const [{ url }] = stage.apis;
    const { admin, sandbox } = await createVictim(stage);
    for (const name of ['Shop\u202egpj.exe', '\u2066Ada', 'Acme\u200b Ltd', 'Ac\u200dme', 'A\u{e0041}', '\u061cAda']) {
      const signUp = { email: 'new@invited.test', name, slug: `s-${randomUUID().slice(0, 8)}` };
      attempts.mustBe(
        'a business',
        await call({ url, key: null }, '/v1/signup', { method: 'POST', body: signUp }),
        '422 invalid_request',
      );
      const member = { email: `${randomUUID()}@invited.test`, name, role: 'viewer' };
      attempts.mustBe(
        'a member',
        await callAs(admin, '/v1/members', { method: 'POST', body: member }),
        '422 invalid_request',
      );
      const payee = await createPayout({ url, key: sandbox.key }, payoutBody({}, { last_name: name }));
      attempts.mustBe('a payee', payee, '422 invalid_recipient');
    }
  },
};

const sheetFormulas: Attack = {
  name: 'sheet-formulas',
  tries: "a reference becomes a formula in the accountant's spreadsheet",
  async run(stage, attempts) {
    const [{ url }] = stage.apis;
    const { sandbox } = await createVictim(stage);
    const client = { url, key: sandbox.key };
    for (const reference of ['=1+2', ' @x', 'x;=1+2', 'x;"=1+2', 'x\t+1', 'x\n=1+2', '\u202e;-1'])
      await createPayout(client, payoutBody({ amount_gbp: '1.00', reference }));
    const { text } = await call(client, '/v1/payouts.csv');
    for (const cell of text.split(/,|[;\t\r\n]/)) attempts.add(cell, /^["\s\p{Cf}]*[=+\-@]/u.test(cell));
  },
};

export const nameAttacks: readonly Attack[] = [turnedNames, sheetFormulas];
