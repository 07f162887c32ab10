import { randomBytes, randomUUID } from 'node:crypto';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { call, createPayout, payoutBody, type ApiAnswer, type Client } from '../harness/client.ts';
import { operations, type Operation } from '../harness/contract.ts';
import { callAs } from '../harness/people.ts';
import type { Attack } from './attempts.ts';
import { createVictim, type Stage, type Victim } from './stage.ts';

// Attacks by one partner on what is another's, and by one environment on the other.

interface Party extends Victim {
  sandboxClient: Client;
  liveClient: Client;
  /** In every name and reference of this partner, and nowhere else. */
  mark: string;
  payoutIds: string[];
  livePayoutId: string;
}

async function createParty(stage: Stage): Promise<Party> {
  const [{ url }] = stage.apis;
  const victim = await createVictim(stage);
  const mark = `mark${randomBytes(6).toString('hex')}`;
  const sandboxClient = { url, key: victim.sandbox.key };
  const liveClient = { url, key: victim.live.key };
  const order = (amount: string): object => payoutBody({ amount_gbp: amount, reference: mark }, { first_name: mark });
  const payoutIds: string[] = [];
  for (let count = 0; count < 5; count += 1) payoutIds.push((await createPayout(sandboxClient, order('1.00'))).id);
  const livePayoutId = (await createPayout(liveClient, order('10.00'))).id;
  if (livePayoutId === '' || payoutIds.includes('')) throw new Error('a party could not pay');
  return { ...victim, sandboxClient, liveClient, mark, payoutIds, livePayoutId };
}

/** Whether an answer has anything in it that only this partner has. */
function shows(answer: ApiAnswer, { mark, partnerId, payoutIds, livePayoutId }: Party): boolean {
  return [mark, partnerId, livePayoutId, ...payoutIds].some((own) => answer.text.includes(own));
}

/** Not of invoices: one that was planted would break the books here. isolation.soak.test.ts tries them. */
function hasId({ path }: Operation): boolean {
  return /\{(id|email)\}/.test(path) && !path.startsWith('/v1/invoices/');
}

/** Of those that are refused for want of one, before they look for what it is about. */
const bodies: Readonly<Record<string, object>> = {
  changeMember: { role: 'viewer' },
  rollKey: {},
  renamePasskey: { name: 'Phone' },
  updateWebhook: { enabled: false },
  rollWebhookSecret: { overlap_hours: 0 },
  redeliverEvents: { after: 0 },
};

const idor: Attack = {
  name: 'idor',
  tries: "a partner's key and admin ask every route with an id for another partner's things",
  async run(stage, attempts) {
    const [own, other] = [await createParty(stage), await createParty(stage)];
    const idFor = (path: string): string => {
      if (path.startsWith('/v1/keys/')) return other.sandbox.keyId;
      if (path.startsWith('/v1/auth/sessions/')) return other.admin.sessionId;
      return other.payoutIds[0] ?? '';
    };
    const refusals = ['404 not_found', '403 session_required', '422 invalid_request'];
    for (const { id, method, path } of operations.filter(hasId)) {
      const address = path.replace('{id}', idFor(path)).replace('{email}', encodeURIComponent(other.admin.email));
      const request = { method, ...(id in bodies ? { body: bodies[id] } : {}) };
      attempts.mustBe(`${id} by key`, await call(own.sandboxClient, address, request), ...refusals);
      attempts.mustBe(
        `${id} by an admin`,
        await callAs(own.admin, `${address}?environment=sandbox`, request),
        '404 not_found',
      );
    }
  },
};

const batchedReads: Attack = {
  name: 'batched-reads',
  tries: 'two partners read their payouts at the same moment, 400 times, to get an answer of the other',
  async run(stage, attempts) {
    const [one, two] = [await createParty(stage), await createParty(stage)];
    const ask = async (own: Party, other: Party, nth: number): Promise<void> => {
      const id = own.payoutIds[nth % own.payoutIds.length] ?? '';
      const answer = await call(own.sandboxClient, `/v1/payouts/${id}`);
      attempts.add(
        `GET /v1/payouts/${id}: ${answer.status}`,
        shows(answer, other) || valueAt(answer.json, 'id') !== id,
      );
    };
    for (let round = 0; round < 10; round += 1)
      await Promise.all(
        Array.from({ length: 40 }, async (_, nth) => (nth % 2 === 0 ? ask(one, two, nth) : ask(two, one, nth))),
      );
  },
};

const foreignCursor: Attack = {
  name: 'foreign-cursor',
  tries: "a partner continues another partner's list, or its own of the other environment, by a cursor",
  async run(stage, attempts) {
    const [own, other] = [await createParty(stage), await createParty(stage)];
    const cursors = [...other.payoutIds, other.livePayoutId, 'ffffffff-ffff-7fff-bfff-ffffffffffff'];
    for (const cursor of cursors) {
      for (const path of ['/v1/payouts', '/v1/deposits', '/v1/security-events']) {
        for (const client of [own.sandboxClient, own.liveClient]) {
          const answer = await call(client, `${path}?limit=200&cursor=${cursor}`);
          attempts.add(`GET ${path} from ${cursor}: ${answer.status}`, shows(answer, other) || answer.status >= 500);
        }
      }
    }
    const sandboxList = await call(own.sandboxClient, `/v1/payouts?cursor=${own.livePayoutId}`);
    attempts.add('a live cursor in sandbox', sandboxList.text.includes(own.livePayoutId));
  },
};

const environmentConfusion: Attack = {
  name: 'environment-confusion',
  tries: 'a sandbox key names the live environment in the query, twice, in a header or in the body',
  async run(stage, attempts) {
    const own = await createParty(stage);
    const { sandboxClient: client, livePayoutId, liveClient } = own;
    const queries = [
      'environment=live',
      'environment=sandbox&environment=live',
      'environment=live&environment=sandbox',
    ];
    const headers = { 'kelpie-environment': 'live', 'x-environment': 'live' };
    for (const query of queries) {
      for (const path of ['/v1/payouts', '/v1/balance', '/v1/recipients', `/v1/payouts/${livePayoutId}`]) {
        const answer = await call(client, `${path}?${query}`, { headers });
        const isLive = answer.text.includes(livePayoutId) && answer.status < 400;
        attempts.add(
          `GET ${path}?${query}: ${answer.status}`,
          isLive || valueAt(answer.json, 'environment') === 'live',
        );
      }
      const paid = await call(client, `/v1/payouts?${query}`, {
        method: 'POST',
        body: { ...payoutBody(), environment: 'live' },
        headers: { ...headers, 'idempotency-key': randomUUID() },
      });
      attempts.add(`POST /v1/payouts?${query}: ${paid.status}`, valueAt(paid.json, 'environment') === 'live');
    }
    const seen = listAt((await call(liveClient, '/v1/payouts')).json, 'data').map((payout) => textAt(payout, 'id'));
    attempts.add(`${seen.length} live payouts`, seen.length !== 1);
    const stranger = await createVictim(stage);
    const withoutLive = await call(client, `/v1/payouts/${stranger.partnerId}`);
    attempts.mustBe('an id that is a partner', withoutLive, '404 not_found');
  },
};

export const isolationAttacks: readonly Attack[] = [idor, batchedReads, foreignCursor, environmentConfusion];
