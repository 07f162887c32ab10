import { Type, type Static } from 'typebox';
import { Id, Instant, nullableText, oneOf } from '../../http/schema/fields.ts';
import { nameSchema } from '../../http/schema/schemas.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { sessionSeconds } from '../signing-in/sessions.ts';
import { findShownSession } from '../signing-in/store.ts';

export const SessionSchema = nameSchema(
  'Session',
  Type.Object(
    {
      object: Type.Literal('session'),
      email: Type.String({ format: 'email' }),
      name: nullableText({ description: 'Of the person.' }),
      role: oneOf(['admin', 'viewer']),
      account: Type.Object({
        id: Id,
        name: Type.String(),
        slug: Type.String(),
        status: Type.String({ description: 'onboarding (sandbox only), active, suspended or closed.' }),
        has_live: Type.Boolean({ description: 'Whether there is a live environment to look at.' }),
      }),
      expires_at: Instant,
      support_email: Type.String({ format: 'email', description: 'Write to this address for help.' }),
    },
    { description: 'A person who has signed in. It ends at `expires_at`, or after 30 minutes without a request.' },
  ),
);

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
