import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { call, type ApiAnswer } from '../harness/client.ts';
import { callAs, type Person } from '../harness/people.ts';
import type { Attack, Attempts } from './attempts.ts';
import { actConfirmed, untilMailed } from './confirmed.ts';
import { createVictim, type Stage } from './stage.ts';

// Attacks by the emails that we send to people who did not ask for them.

interface SignUpBody {
  email: string;
  name?: string;
  slug?: string;
  proof_of_work?: { challenge: string; nonce: string } | undefined;
}

const newSlug = (): string => `s-${randomBytes(6).toString('hex')}`;

async function signUp(url: string, body: SignUpBody): Promise<ApiAnswer> {
  return call({ url, key: null }, '/v1/signup', {
    method: 'POST',
    body: { name: 'Example Ltd', slug: newSlug(), ...body },
  });
}

const tagFlood: Attack = {
  name: 'mail-flood-by-tags',
  tries: '60 accounts are signed up for the addresses of two mailboxes, told apart by tags and dots, to flood them',
  async run({ apis: [{ url }] }, attempts) {
    const name = randomBytes(6).toString('hex');
    const tagged = Array.from({ length: 30 }, (_, nth) => `${name}+${nth}@tagged.test`);
    const dotted = Array.from({ length: 30 }, (_, nth) => {
      const letters = Array.from(name, (letter, at) => ((nth >> at) & 1 ? `${letter}.` : letter)).join('');
      return `${letters}x@${nth % 2 === 0 ? 'gmail' : 'googlemail'}.com`;
    });
    for (const addresses of [tagged, dotted]) {
      let accepted = 0;
      for (const email of addresses) if ((await signUp(url, { email })).status === 202) accepted += 1;
      attempts.add(`${accepted} of 30 are accepted`, accepted > 12);
    }
  },
};

/** What a stranger sends who would rather not work. */
const cheap = [
  { challenge: 'none', nonce: '0' },
  { challenge: `${Date.now() + 300_000}.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA`, nonce: '0' },
];

const bodyFor = (nth: number) => ({ email: `${randomUUID()}@people.test`, proof_of_work: cheap[nth % 3] });

const signUpFlood: Attack = {
  name: 'sign-up-mail-flood',
  tries: '60 sign-ups for as many mailboxes, where 5 per hour are free, without the work or with one solution for all',
  async run(stage, attempts) {
    const { url } = await stage.addApi({ KELPIE_SIGN_UPS_PER_HOUR: '5' });
    // What other processes left in the bucket is spent first.
    for (let nth = 0; nth < 10; nth += 1) await signUp(url, bodyFor(2));
    const answers: ApiAnswer[] = [];
    for (let nth = 0; nth < 60; nth += 1) answers.push(await signUp(url, bodyFor(nth)));
    const accepted = answers.filter(({ status }) => status === 202).length;
    attempts.add(`${accepted} of 60 without work`, accepted > 2);
    const email = `${randomUUID()}@people.test`;
    const asked = await signUp(url, { email });
    attempts.mustBe('without a proof', asked, '422 proof_of_work_required');
    const challenge = textAt(asked.json, 'error.details.challenge');
    const proof = { challenge, nonce: solve(challenge, Number(valueAt(asked.json, 'error.details.bits'))) };
    const other = await signUp(url, { email: `${randomUUID()}@people.test`, proof_of_work: proof });
    attempts.mustBe('the solution of another address', other, '422 proof_of_work_required');
    const own = await signUp(url, { email, proof_of_work: proof });
    attempts.add(`who did the work: ${own.status}`, own.status !== 202);
  },
};

function solve(challenge: string, bits: number): string {
  for (let nonce = 0; ; nonce += 1) {
    const digest = createHash('sha256').update(`${challenge}:${nonce}`).digest();
    if (Math.clz32(digest.readUInt32BE(0)) >= bits) return String(nonce);
  }
}

const texts = [
  'Kelpie Security: your account is frozen, call 020 7946 0000',
  'Go to https://kelpie-help.example/unlock before noon',
  'kelpie-help.example',
  'Ring +44 20 7946 0000',
  '０２０ ７９４６ ００００',
  'evil．com',
];

const phishingName: Attack = {
  name: 'phishing-name',
  tries: 'a name with a link or a number to call is emailed by us to whoever a stranger chooses',
  async run(stage, attempts) {
    const [{ url }] = stage.apis;
    const { admin } = await createVictim(stage);
    for (const name of texts) {
      const email = `${randomUUID()}@people.test`;
      attempts.mustBe(`a business named ${name}`, await signUp(url, { email, name }), '422 invalid_request');
      const member = { email, name, role: 'viewer' };
      const invited = await callAs(admin, '/v1/members', { method: 'POST', body: member });
      attempts.mustBe(`a member named ${name}`, invited, '422 invalid_request');
    }
    const plain = await signUp(url, { email: `${randomUUID()}@people.test`, name: '24/7 Couriers Ltd' });
    attempts.add(`a usual name: ${plain.status}`, plain.status !== 202);
  },
};

const reservedSlug: Attack = {
  name: 'reserved-slug',
  tries: 'an account is opened under a short name that people take for ours',
  async run({ apis: [{ url }] }, attempts) {
    for (const slug of ['kelpie', 'admin', 'support', 'security', 'api', 'status', 'kelpie-support', 'my-kelpie'])
      attempts.mustBe(slug, await signUp(url, { email: `${randomUUID()}@people.test`, slug }), '409 slug_taken');
  },
};

const invitationFlood: Attack = {
  name: 'invitation-flood',
  tries: 'a business that nobody has verified invites 12 strangers',
  async run(stage, attempts) {
    const { url } = await stage.addApi({ KELPIE_UNVERIFIED_INVITATIONS_PER_DAY: '' });
    const { partnerId, admin } = await createVictim(stage);
    await stage.sql(`update kelpie.partners set verification_status = 'not_started' where id = $1`, [partnerId]);
    let invited = 0;
    for (let nth = 0; nth < 12; nth += 1) {
      const body = { email: `${randomUUID()}@people.test`, role: 'viewer' };
      if ((await callAs({ ...admin, url }, '/v1/members', { method: 'POST', body })).status === 201) invited += 1;
    }
    attempts.add(`${invited} of 12 are invited`, invited > 5);
    attempts.add('nobody can be invited', invited === 0);
  },
};

const strangersAddress: Attack = {
  name: 'unread-address',
  tries: 'an account enters the address of a stranger, so that its emails go there, or confirms it in their place',
  async run(stage, attempts) {
    const { admin } = await createVictim(stage);
    const stranger = `${randomUUID()}@people.test`;
    const path = '/v1/account?environment=live';
    for (const contact of [stranger, null]) {
      const entered = await actConfirmed(stage, admin, { method: 'PATCH', path, body: { contact_email: contact } });
      if (entered.status !== 200) throw new Error(`the address is not entered: ${entered.text}`);
      if (contact !== null) await confirmForThem(stage, admin, attempts);
    }
    await untilMailed(stage);
    const sent = stage.inbox.mails().filter(({ to }) => to.includes(stranger));
    attempts.add(`${sent.length} emails to the stranger`, sent.length > 1);
    attempts.add('the stranger is not asked', sent.length === 0);
  },
};

/** With the tokens that an admin has, or could make up. */
async function confirmForThem({ apis: [{ url }], inbox }: Stage, admin: Person, attempts: Attempts): Promise<void> {
  const notice = inbox.mails().find(({ to, text }) => to.includes(admin.email) && text.includes('/not-me#'));
  const [, own = ''] = /\/not-me#([\w-]+)/.exec(notice?.text ?? '') ?? [];
  for (const token of [own, randomBytes(80).toString('base64url')]) {
    const answer = await call({ url, key: null }, '/v1/auth/confirm-address', { method: 'POST', body: { token } });
    attempts.mustBe('the token of another email', answer, '401 invalid_code', '422 invalid_request');
  }
}

export const unsolicitedAttacks: readonly Attack[] = [
  tagFlood,
  signUpFlood,
  phishingName,
  reservedSlug,
  invitationFlood,
  strangersAddress,
];
