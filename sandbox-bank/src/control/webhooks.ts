import type { Route } from '../http/route.ts';
import { notFound } from '../http/api-error.ts';
import { isId } from '../ids.ts';
import { redeliver } from '../webhooks/events.ts';

export const webhookModes = ['normal', 'lose', 'repeat', 'shuffle'] as const;

export const webhookControlRoutes: readonly Route[] = [
  {
    method: 'POST',
    url: '/webhooks',
    async perform({ tx, body }) {
      const mode = body.choice('mode', webhookModes);
      await tx.query('update bank_state set webhook_mode = $1', [mode]);
      return { status: 200, body: { mode } };
    },
  },
  {
    method: 'POST',
    url: '/webhooks/redeliver',
    async perform({ tx, body }) {
      const eventId = body.optionalFlag('all') ? null : body.text('event_id');
      if (eventId !== null && !isId(eventId)) throw notFound('event');
      return { status: 200, body: { deliveries: await redeliver(tx, eventId) } };
    },
  },
];
