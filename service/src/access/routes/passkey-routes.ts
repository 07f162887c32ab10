import { Type } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { bodyErrors, keyedErrors } from '../../http/errors/responses.ts';
import { ConfirmRequest } from '../../http/schema/confirm-code.ts';
import { listExample, Query } from '../../http/schema/fields.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { addSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { inReadOnlyTransaction } from '../../platform/database/transaction.ts';
import { addNewPasskey, beginToAdd } from '../passkeys/add-passkey.ts';
import type { PasskeyDeps } from '../passkeys/passkey-deps.ts';
import { removePasskey, rename } from '../passkeys/remove-passkey.ts';
import { listPasskeys, readRule } from '../passkeys/store.ts';
import { updateRule } from '../passkeys/update-rule.ts';
import { provePerson } from '../passkeys/use-passkey.ts';
import {
  AddPasskeyRequest,
  optionsBody,
  passkeyBody,
  passkeyExamples as examples,
  PasskeyList,
  PasskeyOptions,
  PasskeyProof,
  PasskeyRemoved,
  PasskeyRuleSchema,
  PasskeySchema,
  RenamePasskeyRequest,
  SignedChallengeSchema,
  UpdatePasskeyRuleRequest,
} from './passkey-body.ts';
import { adminOf, personOf } from './people.ts';

interface PasskeyRouteDeps extends PasskeyDeps, Authentication {}

const tags = ['Dashboard sign-in'];
const confirmed = ['confirmation_required', 'invalid_confirm_code', 'invalid_request'] as const;
const PasskeyPath = Type.Object({
  id: Type.String({ pattern: patterns.uuid, description: 'The id of the passkey.', examples: [examples.passkey.id] }),
});

/** A person's passkeys for one account, what they confirm, and whether the account requires them. */
export function addPasskeyRoutes(app: Server, deps: PasskeyRouteDeps): void {
  addSchema(app, PasskeySchema, examples.passkey);
  addSchema(app, PasskeyList, listExample(examples.passkey));
  addSchema(app, PasskeyOptions, examples.options);
  addSchema(app, SignedChallengeSchema, examples.signed);
  addSchema(app, AddPasskeyRequest, examples.added);
  addSchema(app, RenamePasskeyRequest, { name: 'Phone' });
  addSchema(app, PasskeyRemoved, { id: examples.passkey.id, removed: true });
  addSchema(app, PasskeyProof, { object: 'passkey_proof', proven: true });
  addSchema(app, PasskeyRuleSchema, { object: 'passkey_rule', required: true, members_without: [] });
  addSchema(app, UpdatePasskeyRuleRequest, { required: true });
  addListRoute(app, deps);
  addAddRoutes(app, deps);
  addChangeRoutes(app, deps);
  addConfirmRoute(app, deps);
  addRuleRoutes(app, deps);
}

function addListRoute(app: Server, { pool, requireCaller, callerOf }: PasskeyRouteDeps): void {
  const schema = {
    operationId: 'listPasskeys',
    summary: 'List your passkeys',
    description: 'Returns your passkeys for this account, the oldest first.',
    tags,
    querystring: Query,
    response: { 200: PasskeyList.ref, ...keyedErrors() },
  };
  const config = { action: 'passkey.list', access: 'people', ofBothEnvironments: true } as const;
  app.get('/v1/passkeys', { schema, config, onRequest: requireCaller }, async (request) => {
    const caller = callerOf(request);
    const found = await inReadOnlyTransaction(pool, caller, async (tx) => listPasskeys(tx, caller.by));
    return { object: 'list' as const, data: found.map(passkeyBody) };
  });
}

function addAddRoutes(app: Server, deps: PasskeyRouteDeps): void {
  const begin = {
    operationId: 'beginPasskey',
    summary: 'Start a passkey',
    description:
      'Returns what to pass to `navigator.credentials.create`. The first passkey is confirmed with an emailed code, a further one with a passkey that you have.',
    tags,
    querystring: Query,
    body: ConfirmRequest.ref,
    response: { 200: PasskeyOptions.ref, ...bodyErrors(...confirmed) },
  };
  const add = {
    operationId: 'addPasskey',
    summary: 'Add a passkey',
    description:
      'Adds the passkey. From then on, signing in and changes of this account take one of your passkeys. We email you. Limit: 10 per member.',
    tags,
    querystring: Query,
    body: AddPasskeyRequest.ref,
    response: { 201: PasskeySchema.ref, ...bodyErrors('invalid_passkey', 'invalid_request') },
  };
  const { requireCaller: onRequest } = deps;
  const people = { access: 'people', ofBothEnvironments: true } as const;
  app.post(
    '/v1/passkey-options',
    { schema: begin, config: { ...people, action: 'passkey.begin', bodyIsOptional: true }, onRequest },
    async (request) => optionsBody(await beginToAdd(deps, personOf(request, deps), request.body?.confirm_code)),
  );
  app.post(
    '/v1/passkeys',
    { schema: add, config: { ...people, action: 'passkey.add' }, onRequest },
    async (request, reply) =>
      reply.code(201).send(passkeyBody(await addNewPasskey(deps, personOf(request, deps), request.body))),
  );
}

function addChangeRoutes(app: Server, deps: PasskeyRouteDeps): void {
  const change = {
    operationId: 'renamePasskey',
    summary: 'Update a passkey',
    description: 'Changes what you call the passkey. Safe to retry.',
    tags,
    params: PasskeyPath,
    querystring: Query,
    body: RenamePasskeyRequest.ref,
    response: { 200: PasskeySchema.ref, ...bodyErrors('not_found', 'invalid_request') },
  };
  const remove = {
    operationId: 'removePasskey',
    summary: 'Remove a passkey',
    description:
      'Removes one of your passkeys. Confirmed with a passkey, which can be this one. We email you. Where the account requires passkeys, the last one stays.',
    tags,
    params: PasskeyPath,
    querystring: Query,
    body: ConfirmRequest.ref,
    response: { 200: PasskeyRemoved.ref, ...bodyErrors('not_found', 'passkey_required', ...confirmed) },
  };
  const { requireCaller: onRequest } = deps;
  const people = { access: 'people', ofBothEnvironments: true } as const;
  app.patch(
    '/v1/passkeys/:id',
    { schema: change, config: { ...people, action: 'passkey.rename' }, onRequest },
    async (request) => {
      const id = request.params.id.toLowerCase();
      return passkeyBody(await rename(deps, personOf(request, deps), { id, name: request.body.name }));
    },
  );
  app.delete(
    '/v1/passkeys/:id',
    { schema: remove, config: { ...people, action: 'passkey.remove', bodyIsOptional: true }, onRequest },
    async (request) => {
      const id = request.params.id.toLowerCase();
      await removePasskey(deps, personOf(request, deps), { id, code: request.body?.confirm_code });
      return { id, removed: true as const };
    },
  );
}

function addConfirmRoute(app: Server, deps: PasskeyRouteDeps): void {
  const schema = {
    operationId: 'proveByPasskey',
    summary: 'Send a passkey proof',
    description:
      'Proves the payout or change that returned `confirmation_required` with `details.passkey`. Then repeat its request: a change as it was, a payout with the emailed code.',
    tags,
    querystring: Query,
    body: SignedChallengeSchema.ref,
    response: { 200: PasskeyProof.ref, ...bodyErrors('invalid_passkey', 'invalid_request') },
  };
  const config = { action: 'passkey.confirm', access: 'people', ofBothEnvironments: true } as const;
  app.post('/v1/passkey-proofs', { schema, config, onRequest: deps.requireCaller }, async (request) => {
    await provePerson(deps, personOf(request, deps), { signed: request.body, purpose: 'confirm' });
    return { object: 'passkey_proof' as const, proven: true as const };
  });
}

function addRuleRoutes(app: Server, deps: PasskeyRouteDeps): void {
  const read = {
    operationId: 'getPasskeyRule',
    summary: 'Retrieve the passkey rule',
    description: 'Returns whether the account requires passkeys, and which members have none.',
    tags,
    querystring: Query,
    response: { 200: PasskeyRuleSchema.ref, ...keyedErrors() },
  };
  const update = {
    operationId: 'updatePasskeyRule',
    summary: 'Update the passkey rule',
    description:
      'Requires a passkey of every member, or no longer does. Confirmed with your passkey. Every member needs one first. We email every admin. A member who is added later adds a passkey within 72 hours, at the first sign-in. Safe to retry.',
    tags,
    querystring: Query,
    body: UpdatePasskeyRuleRequest.ref,
    response: { 200: PasskeyRuleSchema.ref, ...bodyErrors('passkey_required', ...confirmed) },
  };
  const { requireCaller: onRequest } = deps;
  const readBody = async (of: { partnerId: string; environment: 'sandbox' | 'live' }) => {
    const { required, without } = await inReadOnlyTransaction(deps.pool, of, readRule);
    return { object: 'passkey_rule' as const, required, members_without: without };
  };
  app.get(
    '/v1/passkey-rule',
    {
      schema: read,
      config: { action: 'passkey_rule.get', access: 'people', ofBothEnvironments: true },
      onRequest,
    },
    async (request) => readBody(deps.callerOf(request)),
  );
  app.patch(
    '/v1/passkey-rule',
    {
      schema: update,
      config: { action: 'passkey_rule.update', access: 'admins', ofBothEnvironments: true },
      onRequest,
    },
    async (request) => {
      const admin = adminOf(request, deps);
      const { required, confirm_code: code } = request.body;
      await updateRule(deps, admin, { required, code });
      return readBody(admin);
    },
  );
}
