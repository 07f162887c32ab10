import { Type, type Static } from 'typebox';
import { exampleValues } from '../../http/schema/example-values.ts';
import { dateTime, Environment, nullableInstant, nullableText, oneOf, uuid } from '../../http/schema/fields.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { nameSchema } from '../../http/schema/schemas.ts';
import { disabledReasons, type DisabledReason, type Endpoint } from '../endpoint.ts';

export const urlText =
  'Where events are posted. It must be a public address, and https:// in live. Redirects are not followed.';
export const typesText = 'The types of events to send. Null for all, including types that are added later.';

const webhookFields = {
  id: uuid('The id of the webhook.'),
  object: Type.Literal('webhook', { description: 'Always `webhook`.' }),
  environment: Environment,
  url: Type.String({ description: urlText }),
  description: nullableText({ description: 'What the webhook is for.' }),
  // While a deploy runs, a newer api may have stored types that this one does not know.
  types: Type.Unsafe<string[] | null>({ type: ['array', 'null'], items: { type: 'string' }, description: typesText }),
  status: oneOf(['enabled', 'disabled'], { description: '`disabled`: nothing is sent, and new events are left out.' }),
  disabled_reason: Type.Unsafe<DisabledReason | null>({
    type: ['string', 'null'],
    enum: [...disabledReasons, null],
    description: '`requested` by you, or `failing`: no attempt succeeded for 3 days. Null while it is enabled.',
  }),
  disabled_at: nullableInstant({ description: 'When it was disabled. Null while it is enabled.' }),
  failing_since: nullableInstant({
    description: 'Since when every attempt has failed. Null if the last one succeeded.',
  }),
  previous_secret_expires_at: nullableInstant({
    description: 'Until when the secret before the last roll signs as well. Null if it no longer does.',
  }),
  created_at: dateTime('When the webhook was created.'),
};

export const WebhookSchema = nameSchema(
  'Webhook',
  Type.Object(webhookFields, { description: 'A URL of yours to which events are sent.' }),
);

export const WebhookWithSecret = nameSchema(
  'WebhookWithSecret',
  Type.Object(
    {
      ...webhookFields,
      secret: Type.String({
        pattern: patterns.webhookSecret,
        description: 'Verifies the signature of what is sent. It is returned once and never again.',
      }),
    },
    { description: 'A webhook with its new secret.' },
  ),
);

export function webhookBody(endpoint: Endpoint, now: Date): Static<typeof WebhookSchema.definition> {
  const { disabled, previousSecretUntil: until } = endpoint;
  return {
    id: endpoint.id,
    object: 'webhook',
    environment: endpoint.environment,
    url: endpoint.url,
    description: endpoint.description,
    types: endpoint.types === null ? null : [...endpoint.types],
    status: disabled === null ? 'enabled' : 'disabled',
    disabled_reason: disabled?.reason ?? null,
    disabled_at: disabled?.at.toISOString() ?? null,
    failing_since: endpoint.failingSince?.toISOString() ?? null,
    previous_secret_expires_at: until !== null && until > now ? until.toISOString() : null,
    created_at: endpoint.createdAt.toISOString(),
  };
}

export const exampleRequest = {
  url: 'https://harbourgoods.example/kelpie',
  description: 'Order system',
  types: ['payout.completed' as const, 'payout.failed' as const, 'payout.returned' as const],
};

export const exampleWebhook: Static<typeof WebhookSchema.definition> = {
  ...exampleRequest,
  id: exampleValues.webhookId,
  object: 'webhook',
  environment: 'sandbox',
  status: 'enabled',
  disabled_reason: null,
  disabled_at: null,
  failing_since: null,
  previous_secret_expires_at: null,
  created_at: exampleValues.createdAt,
};
