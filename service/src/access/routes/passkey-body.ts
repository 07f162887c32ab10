import { Type, type Static } from 'typebox';
import { exampleValues } from '../../http/schema/example-values.ts';
import { dateTime, listOf, nullableInstant, nullableObject, oneOf, uuid } from '../../http/schema/fields.ts';
import { ConfirmCode } from '../../http/schema/confirm-code.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { nameSchema } from '../../http/schema/schemas.ts';
import type { PasskeyRequest } from '../../platform/acts/confirmed-act.ts';
import type { AddRequest } from '../passkeys/add-passkey.ts';
import type { Passkey, UnprovenSession } from '../passkeys/store.ts';

const bytes = 'pVh8m2sQe1yRk3dTzNf0uLxGv7bWcJaE5oYiHq9rUwM';

export const PasskeySchema = nameSchema(
  'Passkey',
  Type.Object(
    {
      object: Type.Literal('passkey', { description: 'Always `passkey`.' }),
      id: uuid('The id of the passkey.'),
      name: Type.String({ description: 'What its person calls it.' }),
      created_at: dateTime('When it was added.'),
      last_used_at: nullableInstant({ description: 'When it was last used. Null if never.' }),
    },
    { description: 'A passkey of a member.' },
  ),
);
export const PasskeyList = nameSchema(
  'PasskeyList',
  listOf(PasskeySchema.ref, { description: 'Your passkeys for this account, the oldest first.' }),
);

export const PasskeyOptions = nameSchema(
  'PasskeyOptions',
  Type.Object(
    {
      object: Type.Literal('passkey_options', { description: 'Always `passkey_options`.' }),
      ceremony: oneOf(['add', 'use'], { description: 'Whether to create a passkey (`add`) or to use one (`use`).' }),
      challenge: Type.String({ description: 'What the passkey signs, in base64url. Valid once, for 5 minutes.' }),
      rp_id: Type.String({ description: 'The domain that the passkey is for.' }),
      credentials: Type.Array(
        Type.Object({
          id: Type.String({ description: 'The id of the credential, in base64url.' }),
          transports: Type.Array(Type.String(), { description: 'How the browser reaches it.' }),
        }),
        { description: 'The passkeys that you have. To add one, authenticators that have one of these are excluded.' },
      ),
      user: nullableObject(
        Type.Object({
          id: Type.String({
            description: 'Who you are to the authenticator, in base64url.',
            examples: [bytes],
          }),
          name: Type.String({
            description: 'What the authenticator shows: your email address.',
            examples: [exampleValues.adminEmail],
          }),
        }),
        { description: 'For a new passkey. Otherwise null.' },
      ),
    },
    { description: 'What to pass to `navigator.credentials`.' },
  ),
);

const base64url = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: patterns.base64url, description });

const credentialId = base64url(1364, 'The id of the credential, in base64url.');
const clientData = base64url(8192, '`clientDataJSON`, in base64url.');

const NewCredentialFields = Type.Object(
  {
    id: credentialId,
    client_data: clientData,
    attestation: base64url(16_384, '`attestationObject`, in base64url.'),
    transports: Type.Array(Type.String({ maxLength: 20, pattern: patterns.anyText }), {
      maxItems: 8,
      description: 'What `getTransports()` returns.',
    }),
  },
  { additionalProperties: false, description: 'What `navigator.credentials.create` returned.' },
);

const signedFields = {
  id: credentialId,
  client_data: clientData,
  authenticator_data: base64url(8192, '`authenticatorData`, in base64url.'),
  signature: base64url(2048, '`signature`, in base64url.'),
};

export const SignedChallengeSchema = nameSchema(
  'SignedChallenge',
  Type.Object(signedFields, {
    additionalProperties: false,
    description: 'What `navigator.credentials.get` returned.',
  }),
);

const name = Type.String({
  minLength: 1,
  maxLength: 60,
  pattern: patterns.shownName,
  description: 'What you call it, at most 60 characters.',
});

export const AddPasskeyRequest = nameSchema(
  'AddPasskeyRequest',
  Type.Object(
    { name, credential: NewCredentialFields },
    { additionalProperties: false, description: 'The passkey to add.' },
  ),
);
export const RenamePasskeyRequest = nameSchema(
  'RenamePasskeyRequest',
  Type.Object({ name }, { additionalProperties: false, description: 'The new name.' }),
);
export const PasskeyRemoved = nameSchema(
  'PasskeyRemoved',
  Type.Object(
    { id: uuid('The id of the passkey.'), removed: Type.Literal(true, { description: 'Always `true`.' }) },
    { description: 'The passkey opens nothing any more.' },
  ),
);
export const PasskeyProof = nameSchema(
  'PasskeyProof',
  Type.Object(
    {
      object: Type.Literal('passkey_proof', { description: 'Always `passkey_proof`.' }),
      proven: Type.Literal(true, { description: 'Always `true`.' }),
    },
    { description: 'The payout or change is proven: repeat its request.' },
  ),
);
export const PasskeyRuleSchema = nameSchema(
  'PasskeyRule',
  Type.Object(
    {
      object: Type.Literal('passkey_rule', { description: 'Always `passkey_rule`.' }),
      required: Type.Boolean({ description: 'Whether every member needs a passkey.' }),
      members_without: Type.Array(Type.String({ format: 'email' }), {
        description: 'Members who have no passkey, at most 200.',
        examples: [[]],
      }),
    },
    { description: 'Whether the account requires passkeys.' },
  ),
);
export const UpdatePasskeyRuleRequest = nameSchema(
  'UpdatePasskeyRuleRequest',
  Type.Object(
    {
      required: Type.Boolean({ description: 'Whether every member needs a passkey.' }),
      confirm_code: ConfirmCode,
    },
    { additionalProperties: false, description: 'The rule to set.' },
  ),
);
export const ProveSessionRequest = nameSchema(
  'ProveSessionRequest',
  Type.Object(
    {
      use: Type.Optional(SignedChallengeSchema.ref),
      add: Type.Optional(AddPasskeyRequest.ref),
    },
    {
      additionalProperties: false,
      description: '`use` to use a passkey, `add` to add the first one: as `ceremony` of the options says.',
    },
  ),
);
export const PasskeyStep = nameSchema(
  'PasskeyStep',
  Type.Object(
    {
      object: Type.Literal('passkey_step', { description: 'Always `passkey_step`.' }),
      ceremony: oneOf(['add', 'use'], { description: 'Whether a first passkey is added, or one is used.' }),
    },
    {
      description:
        'The code was right, and a passkey is needed. Until then, the session is good for `/v1/auth/passkey` alone.',
    },
  ),
);

export function passkeyBody({
  id,
  name: called,
  createdAt,
  lastUsedAt,
}: Passkey): Static<typeof PasskeySchema.definition> {
  return {
    object: 'passkey',
    id,
    name: called,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  };
}

export function stepBody({ hasPasskey }: UnprovenSession): Static<typeof PasskeyStep.definition> {
  return { object: 'passkey_step', ceremony: hasPasskey ? 'use' : 'add' };
}

export function optionsBody(request: PasskeyRequest | AddRequest): Static<typeof PasskeyOptions.definition> {
  const user = 'user' in request ? request.user : null;
  return { object: 'passkey_options', ceremony: user === null ? 'use' : 'add', ...request, user };
}

const signed = {
  id: bytes,
  client_data: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
  authenticator_data: bytes,
  signature: bytes,
};
const added = {
  name: 'Laptop',
  credential: { id: bytes, client_data: signed.client_data, attestation: bytes, transports: ['internal'] },
};

export const passkeyExamples = {
  passkey: passkeyBody({
    id: '01a1e3b0-0d80-7a4c-9f10-3b7d2c6e8a77',
    name: 'Laptop',
    createdAt: new Date(exampleValues.createdAt),
    lastUsedAt: new Date(exampleValues.createdAt),
  }),
  options: optionsBody({
    challenge: bytes,
    rp_id: 'dashboard.kelpie.example',
    credentials: [{ id: bytes, transports: ['internal'] }],
  }),
  signed,
  added,
};
