import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { startSandboxBank } from '@kelpie/sandbox-bank/test/harness.ts';
import { exampleValues } from '../../src/http/schema/example-values.ts';
import { encryptRecipient } from '../../src/payouts/records/encrypted-recipient.ts';
import { createPayoutRequest } from '../../src/payouts/routes/examples.ts';
import { orderFrom } from '../../src/payouts/routes/wire-form.ts';
import { createEncryptor } from '../../src/platform/encryption.ts';
import { operations, type Operation } from '../harness/contract.ts';
import { plantRules, requestIn } from '../harness/approvals.ts';
import { createPayout } from '../harness/client.ts';
import { numberFirstEvent } from '../harness/numbered-event.ts';
import { unreachable } from '../harness/planted-webhook.ts';
import { encryptSecret } from '../../src/webhooks/secrets.ts';
import { plantInvoice } from '../harness/planted-invoice.ts';
import { plantPayout } from '../harness/planted-payout.ts';
import { signIn } from '../harness/people.ts';
import { testSecrets } from '../harness/secrets.ts';
import { addMembers, setCodes } from '../harness/sign-in.ts';
import { startWorld } from '../harness/world.ts';
import { openRounds, untilFunded } from '../funding/topping-up.ts';

// Every command that /docs shows, pasted into a shell as it is, against an api that serves that page. What the examples
// name is planted: the payout, the invoice, the key, the business and its people.

const liveBank = await startSandboxBank({ mode: 'live-stand-in', env: { BANK_API_KEY: 'sk-live-stand-in' } });
const world = await startWorld({
  env: { KELPIE_LIVE_BANK_URL: liveBank.wireUrl, KELPIE_LIVE_BANK_API_KEY: liveBank.apiKey },
});
const { database, partner } = world;
// The page names the address that it is served from.
const { url } = await world.restartApi({ KELPIE_PUBLIC_URL: world.api.url });
const served: unknown = await (await fetch(`${url}/v1/openapi.json`)).json();

const [, dataKey = ''] = testSecrets.KELPIE_DATA_KEYS.split(':');
const encryptor = createEncryptor(new Map([[1, Buffer.from(dataKey, 'hex')]]));
const folder = await mkdtemp(path.join(tmpdir(), 'kelpie-samples-'));
after(async () => rm(folder, { recursive: true }));
const run = promisify(execFile);

/** Pastes a command. It ends with the status of the answer. */
async function paste(command: string, env: Record<string, string>): Promise<string> {
  const withStatus = `curl() { command curl -sS -w '\\n%{http_code}' "$@"; }\n${command}`;
  const { stdout } = await run('bash', ['-c', withStatus], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    timeout: 30_000,
  });
  return stdout;
}

async function asSuperuser(text: string, values: unknown[]): Promise<void> {
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query(text, values);
  });
}

function sampleOf({ method, path: address }: Operation): string {
  const paths = valueAt(served, 'paths');
  // An address can have dots, which a path of ours would take for steps.
  const item: unknown = typeof paths === 'object' && paths !== null ? Reflect.get(paths, address) : undefined;
  return textAt(listAt(item, `${method.toLowerCase()}.x-codeSamples`)[0], 'source');
}

/** The webhook of the examples, with the event of the examples on its way to it. */
async function plantExampleWebhook(): Promise<void> {
  const { webhookId: id, eventId, webhookSecret } = exampleValues;
  const secret = encryptSecret(encryptor, id, webhookSecret);
  await asSuperuser(
    `insert into kelpie.webhook_endpoints (id, partner_id, environment, place, url, created_at, secret_encrypted)
     values ($1, $2, 'sandbox', 10, $3, now(), $4) on conflict (id) do update set deleted_at = null`,
    [id, partner.partnerId, unreachable.url, secret],
  );
  await asSuperuser(
    `insert into kelpie.webhook_deliveries (
       event_id, endpoint_id, partner_id, environment, sequence, subject_id, state, created_at, due_at, retry_until
     )
     select id, $1, partner_id, environment, sequence, subject_id, 'pending', now(), now(), now() from kelpie.events where id = $2
     on conflict do nothing`,
    [id, eventId],
  );
}

/** A looser rule that another admin has asked for. */
async function plantPendingRules(): Promise<void> {
  await plantRules(
    database,
    { partnerId: partner.partnerId, environment: 'sandbox' },
    { pendingBy: 'ada@people.test' },
  );
}

/** What has to be there before a command can work, where that is more than the partner and its people. */
const before: Readonly<Record<string, () => Promise<void>>> = {
  signIn: async () => setCodes(database, [{ email: exampleValues.adminEmail, code: '204816' }]),
  getPayout: async () => {
    // One that is cancelled can be cancelled again.
    await plantPayout(database, { partnerId: partner.partnerId, environment: 'sandbox' }, 'cancelled', {
      id: exampleValues.payoutId,
    });
    const { recipient } = orderFrom(createPayoutRequest);
    await asSuperuser('update kelpie.payouts set recipient_encrypted = $2 where id = $1', [
      exampleValues.payoutId,
      encryptRecipient(encryptor, exampleValues.payoutId, recipient),
    ]);
  },
  getPayoutRequest: async () => {
    const of = { partnerId: partner.partnerId, environment: 'sandbox' } as const;
    await plantRules(database, of, { abovePence: 0n });
    const id = requestIn(await createPayout({ url, key: partner.key }));
    await asSuperuser('update kelpie.payout_requests set id = $2 where id = $1', [id, exampleValues.payoutRequestId]);
    await plantRules(database, of, {});
  },
  approveApprovalRules: plantPendingRules,
  declineApprovalRules: plantPendingRules,
  getEvent: async () => {
    const client = { url, key: partner.key };
    await createPayout(client);
    const id = await numberFirstEvent(database, client);
    await asSuperuser('update kelpie.events set id = $2 where id = $1', [id, exampleValues.eventId]);
  },
  getWebhook: plantExampleWebhook,
  // The one before was deleted by its command.
  rollWebhookSecret: plantExampleWebhook,
  getInvoice: async () => {
    const id = await plantInvoice(database, partner.partnerId);
    const shown = textAt(served, 'components.examples.Invoice.value.id');
    await asSuperuser('update kelpie.invoices set id = $2 where id = $1', [id, shown]);
    await asSuperuser('update kelpie.invoice_lines set invoice_id = $2 where invoice_id = $1', [id, shown]);
  },
  // Another person's, which takes a code.
  endSession: async () => {
    const { sessionId } = await signIn(database, partner, { url });
    const shown = textAt(listAt(served, 'components.examples.SessionEntryList.value.data')[0], 'id');
    await asSuperuser('update kelpie.sessions set id = $2 where id = $1', [sessionId, shown]);
  },
  createSandboxDeposit: async () => {
    await (
      await openRounds(database)
    )('open-funding');
    await untilFunded(database, partner);
  },
  rollKey: async () =>
    asSuperuser(`update kelpie.api_keys set id = $2 where partner_id = $1 and label = 'Order system'`, [
      partner.partnerId,
      exampleValues.keyId,
    ]),
};

const done = /\n20[012]$/;

/** The payout of the examples is cancelled. */
const refusedStep = /"sandbox_step_refused"[^]*\n409$/;

/** What a command answers that holds a secret which only its reader has, or steps a payout that is at its end. */
const otherwise: Readonly<Record<string, RegExp>> = {
  advanceSandboxPayout: refusedStep,
  holdSandboxPayout: refusedStep,
  failSandboxPayout: refusedStep,
  returnSandboxPayout: refusedStep,
  freezeAccount: /"invalid_code"[^]*\n401$/,
  confirmAddress: /"invalid_code"[^]*\n401$/,
  changeMember: /"confirmation_required"[^]*\n422$/,
  removeMember: /"invalid_confirm_code"[^]*\n422$/,
  endSession: /"invalid_confirm_code"[^]*\n422$/,
  // Its id was changed by hand, so nobody can approve it.
  approvePayoutRequest: /"payout_request_void"[^]*\n409$/,
  updateApprovalRules: /"confirmation_required"[^]*\n422$/,
  approveApprovalRules: /"invalid_confirm_code"[^]*\n422$/,
  // The key of the examples is a sandbox key. Only live keys have a reduced limit.
  liftKeyLimit: /"not_found"[^]*\n404$/,
  // An authenticator has to sign a challenge that was just made.
  beginPasskey: /"invalid_confirm_code"[^]*\n422$/,
  addPasskey: /"invalid_passkey"[^]*\n422$/,
  renamePasskey: /"not_found"[^]*\n404$/,
  removePasskey: /"not_found"[^]*\n404$/,
  proveByPasskey: /"invalid_passkey"[^]*\n422$/,
  updatePasskeyRule: /"passkey_required"[^]*\n409$/,
  beginPasskeyStep: /"invalid_code"[^]*\n401$/,
  provePasskeyStep: /"invalid_code"[^]*\n401$/,
  updateLimits: /"confirmation_required"[^]*\n422$/,
  updateAccount: /"confirmation_required"[^]*\n422$/,
};

async function session(): Promise<string> {
  const { cookie } = await signIn(database, partner, { url });
  return cookie.split('=')[1] ?? '';
}

/** Signing up needs a name that is free, and everything else the business that has it. */
const ordered = operations.toSorted((one, two) => Number(two.id === 'signUp') - Number(one.id === 'signUp'));

for (const operation of ordered) {
  test(`/docs: the command of ${operation.id} runs when pasted`, async () => {
    const command = sampleOf(operation);
    assert(command.includes(`"${url}`), command);
    await before[operation.id]?.();
    const out = await paste(command, { KELPIE_API_KEY: partner.key, KELPIE_SESSION: await session() });
    assert.match(out, otherwise[operation.id] ?? done, `${command}\n${out}`);
    if (operation.id !== 'signUp') return;
    await asSuperuser('update kelpie.partners set slug = $2 where id = $1', [partner.partnerId, exampleValues.slug]);
    await addMembers(database, partner.partnerId, [exampleValues.adminEmail]);
  });
}

test('/docs: the commands of the introduction run when pasted', async () => {
  const blocks = [...textAt(served, 'info.description').matchAll(/```sh\n([^]*?)```/g)].map(([, text = '']) => text);
  assert(blocks.length > 0);
  for (const block of blocks) {
    const out = await paste(block.replaceAll('kp_sandbox_…', partner.key), {});
    assert.match(out, /\n200$/, `${block}\n${out}`);
  }
});
