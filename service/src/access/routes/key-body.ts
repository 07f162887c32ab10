import { Type, type Static } from 'typebox';
import { exampleValues } from '../../http/schema/example-values.ts';
import { dateTime, Environment, nullableInstant, nullableText, oneOf, uuid } from '../../http/schema/fields.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { formatPounds, type Pence } from '../../money/amounts.ts';
import { instantOf } from '../../platform/ids.ts';
import type { KeyAuthority } from '../key-authority.ts';

// What every answer about an API key shows of it.

export const scopeText = '`pay` can create and cancel payouts and read data; `read` can only read.';
export const networksText =
  'IP addresses and CIDR ranges that the key works from. Requests from elsewhere return 401. Empty: it works from anywhere.';

export const Scope = oneOf(['pay', 'read'], { description: scopeText });

const keyFields = {
  id: uuid('The id of the key.'),
  environment: Environment,
  key_prefix: Type.String({ description: 'The start of the key, to tell keys apart.' }),
  label: nullableText({ description: 'What the key is for.' }),
  scope: Scope,
  networks: Type.Array(Type.String(), { description: networksText }),
  expires_at: nullableInstant({ description: 'When the key stops working. Null if it does not expire.' }),
  daily_limit_gbp: nullableText({
    pattern: patterns.money,
    description: 'The most that the key can pay per day, in pounds. Null if only the limits of the account apply.',
  }),
  full_limit_at: nullableInstant({
    description:
      'Until then the key can pay 1,000.00 pounds per day: a new live key starts low, unless it is the first. Null if its full limit applies.',
  }),
  previous_key_prefix: nullableText({
    description: 'The start of the secret before the last roll. Null unless it still works.',
  }),
  previous_expires_at: nullableInstant({
    description: 'When the secret before the last roll stops working. Null unless it still works.',
  }),
  created_at: dateTime('When the key was created.'),
};
export const KeyFields = Type.Object(keyFields);

interface ShownKey extends KeyAuthority {
  id: string;
  environment: 'sandbox' | 'live';
  prefix: string;
  label: string | null;
  createdAt: Date;
  fullLimitAt: Date | null;
  previous: { prefix: string; expiresAt: Date } | null;
}

function formatLimit(limit: Pence | null): string | null {
  return limit === null ? null : formatPounds(limit);
}

/** What has passed by now is not shown: the full limit applies, or the secret no longer works. */
export function keyBody(key: ShownKey, now: Date): Static<typeof KeyFields> {
  const { previous, fullLimitAt } = key;
  const stillWorks = previous !== null && previous.expiresAt > now ? previous : null;
  return {
    id: key.id,
    environment: key.environment,
    key_prefix: key.prefix,
    label: key.label,
    scope: key.scope,
    networks: [...key.networks],
    expires_at: key.expiresAt?.toISOString() ?? null,
    daily_limit_gbp: formatLimit(key.dailyLimit),
    full_limit_at: fullLimitAt !== null && fullLimitAt > now ? fullLimitAt.toISOString() : null,
    previous_key_prefix: stillWorks?.prefix ?? null,
    previous_expires_at: stillWorks?.expiresAt.toISOString() ?? null,
    created_at: key.createdAt.toISOString(),
  };
}

/** What an example key is created with. */
export const exampleRequest = {
  environment: 'sandbox',
  label: 'Order system',
  scope: 'pay',
  networks: ['203.0.113.0/24'],
  expires_at: '2031-01-01T00:00:00.000Z',
  daily_limit_gbp: '5000.00',
} satisfies Partial<Static<typeof KeyFields>>;

export const exampleKey: Static<typeof KeyFields> = {
  ...exampleRequest,
  id: exampleValues.keyId,
  key_prefix: exampleValues.keyPrefix,
  full_limit_at: null,
  previous_key_prefix: null,
  previous_expires_at: null,
  created_at: instantOf(exampleValues.keyId).toISOString(),
};
