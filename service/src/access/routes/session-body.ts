import { Type, type Static } from 'typebox';
import { exampleValues } from '../../http/schema/example-values.ts';
import { dateTime, nullableText, uuid } from '../../http/schema/fields.ts';
import { nameSchema } from '../../http/schema/schemas.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { sessionSeconds } from '../signing-in/sessions.ts';
import { findShownSession } from '../signing-in/store.ts';
import { Role } from './role.ts';

export const SessionSchema = nameSchema(
  'Session',
  Type.Object(
    {
      object: Type.Literal('session', { description: 'Always `session`.' }),
      email: Type.String({ format: 'email', description: 'The email address of the person.' }),
      name: nullableText({ description: 'The name of the person.' }),
      role: Role,
      account: Type.Object(
        {
          id: uuid('The id of the account.'),
          name: Type.String({ description: 'The name of the business.' }),
          slug: Type.String({ description: 'The short name of the account.' }),
          status: Type.String({ description: '`onboarding` (sandbox only), `active`, `suspended` or `closed`.' }),
          has_live: Type.Boolean({ description: 'Whether the account has a live environment.' }),
        },
        { description: 'The account that the session belongs to.' },
      ),
      expires_at: dateTime('When the session expires at the latest.'),
      support_email: Type.String({ format: 'email', description: 'Write to this address for help.' }),
    },
    { description: 'A dashboard session. It also ends after 30 minutes without a request.' },
  ),
);

export const sessionExample = (supportEmail: string): Static<typeof SessionSchema.definition> => ({
  object: 'session',
  email: exampleValues.adminEmail,
  name: 'Ada Lovelace',
  role: 'admin',
  account: {
    id: exampleValues.partnerId,
    name: exampleValues.business,
    slug: exampleValues.slug,
    status: 'active',
    has_live: true,
  },
  expires_at: new Date(Date.parse(exampleValues.createdAt) + sessionSeconds * 1_000).toISOString(),
  support_email: supportEmail,
});

/** What a person is told of its own session; null where it was removed a moment ago. */
export async function findSessionBody(
  { calls, supportEmail }: { calls: SingleCalls; supportEmail: string },
  { partnerId, sessionId }: { partnerId: string; sessionId: string },
): Promise<Static<typeof SessionSchema.definition> | null> {
  const shown = await findShownSession(calls, { partnerId, environment: 'sandbox' }, sessionId);
  if (shown === null) return null;
  return {
    object: 'session',
    email: shown.email,
    name: shown.name,
    role: shown.role,
    account: {
      id: partnerId,
      name: shown.partner_name,
      slug: shown.partner_slug,
      status: shown.partner_status,
      has_live: shown.has_live,
    },
    expires_at: new Date(shown.created_at.getTime() + sessionSeconds * 1_000).toISOString(),
    support_email: supportEmail,
  };
}
