import { Type, type Static } from 'typebox';
import { ConfirmCode } from '../../http/schema/confirm-code.ts';
import { Environment } from '../../http/schema/fields.ts';
import { dateTimeRule, invalidRequest, type FieldProblem } from '../../http/schema/field-problems.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { nameSchema } from '../../http/schema/schemas.ts';
import { parsePounds, type Pence } from '../../money/amounts.ts';
import type { KeyAuthority } from '../key-authority.ts';
import { formatNetwork, parseNetwork } from '../networks.ts';
import { networksText, Scope, scopeText } from './key-body.ts';

const mostNetworks = 10;

export const CreateKeyRequest = nameSchema(
  'CreateKeyRequest',
  Type.Object(
    {
      environment: Environment,
      label: Type.Optional(
        Type.String({
          maxLength: 60,
          pattern: patterns.anyText,
          description: 'What the key is for, at most 60 characters.',
        }),
      ),
      scope: Type.Optional({ ...Scope, default: 'pay', description: `${scopeText} Cannot be changed later.` }),
      networks: Type.Optional(
        Type.Array(Type.String({ maxLength: 49 }), { maxItems: mostNetworks, description: networksText }),
      ),
      expires_at: Type.Optional(
        Type.String({ format: 'date-time', maxLength: 40, description: 'When the key stops working. Default: never.' }),
      ),
      daily_limit_gbp: Type.Optional(
        Type.String({
          pattern: patterns.money,
          maxLength: 15,
          description:
            'The most that the key can pay per day, in pounds. Default: only the limits of the account apply.',
        }),
      ),
      confirm_code: ConfirmCode,
    },
    { additionalProperties: false, description: 'The key to create.' },
  ),
);

type Asked = Static<typeof CreateKeyRequest.definition>;

const networkRule = 'must be an IP address or a CIDR range without host bits, for example 203.0.113.0/24';

function networksFrom({ networks = [] }: Asked, problems: FieldProblem[]): string[] {
  return networks.flatMap((text, place) => {
    const network = parseNetwork(text);
    if (network !== undefined) return [formatNetwork(network)];
    problems.push({ path: `networks.${place}`, rule: networkRule });
    return [];
  });
}

function expiryFrom({ expires_at: text }: Asked, now: Date, problems: FieldProblem[]): Date | null {
  if (text === undefined) return null;
  const instant = new Date(text);
  // A leap second, say, has the form of an instant and is none that we can count.
  if (Number.isNaN(instant.getTime())) problems.push({ path: 'expires_at', rule: dateTimeRule });
  else if (instant <= now) problems.push({ path: 'expires_at', rule: 'must be in the future' });
  return instant;
}

function limitFrom({ daily_limit_gbp: text, scope }: Asked, problems: FieldProblem[]): Pence | null {
  if (text === undefined) return null;
  const limit = parsePounds(text) ?? 0n;
  if (scope === 'read') problems.push({ path: 'daily_limit_gbp', rule: 'is not accepted for scope read' });
  else if (limit === 0n) problems.push({ path: 'daily_limit_gbp', rule: 'must be more than 0.00' });
  return limit;
}

/** What the new key may do, from a body that its schema has let through. */
export function authorityFrom(asked: Asked, now: Date): KeyAuthority {
  const problems: FieldProblem[] = [];
  const authority = {
    scope: asked.scope ?? 'pay',
    networks: networksFrom(asked, problems),
    expiresAt: expiryFrom(asked, now, problems),
    dailyLimit: limitFrom(asked, problems),
  };
  if (problems.length > 0) throw invalidRequest(problems);
  return authority;
}
