import { Type, type Static } from 'typebox';
import type { ActivityLog } from '../../http/activity-log.ts';
import type { Authentication } from '../../http/auth/authentication.ts';
import { bodyErrors, keyedErrors } from '../../http/errors/responses.ts';
import { Query } from '../../http/schema/fields.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { getNotificationSettings, updateNotificationSettings } from '../members/notification-settings.ts';
import type { NotificationSettings as Settings } from '../members/store.ts';

const live = Type.Boolean({
  description:
    'We email you when a live payout fails, is returned or is delayed: at most one email every 15 minutes. Default: true for admins, false for viewers.',
});
const sandbox = Type.Boolean({ description: 'The same for sandbox payouts.' });

const NotificationSettings = nameSchema(
  'NotificationSettings',
  Type.Object(
    {
      object: Type.Literal('notification_settings', { description: 'Always `notification_settings`.' }),
      live_payout_problems: live,
      sandbox_payout_problems: sandbox,
    },
    { description: 'Which emails a member receives. Invoices go to the billing email.' },
  ),
);

const UpdateNotificationsRequest = nameSchema(
  'UpdateNotificationsRequest',
  Type.Object(
    { live_payout_problems: Type.Optional(live), sandbox_payout_problems: Type.Optional(sandbox) },
    { additionalProperties: false, description: 'The settings to change. Omitted ones stay as they are.' },
  ),
);

function settingsBody({ live: ofLive, sandbox: ofSandbox }: Settings): Static<typeof NotificationSettings.definition> {
  return { object: 'notification_settings', live_payout_problems: ofLive, sandbox_payout_problems: ofSandbox };
}

interface NotificationDeps extends Authentication {
  pool: Pool;
  activity: ActivityLog;
}

const address = '/v1/members/me/notifications';

export function addNotificationRoutes(app: Server, deps: NotificationDeps): void {
  const { pool, requireCaller, callerOf } = deps;
  const example = { live_payout_problems: true, sandbox_payout_problems: false };
  addSchema(app, NotificationSettings, { object: 'notification_settings', ...example });
  addSchema(app, UpdateNotificationsRequest, example);
  const reading = {
    operationId: 'getNotifications',
    summary: 'Retrieve your notification settings',
    description: 'Returns which emails the person who is signed in receives from this account.',
    tags: ['Dashboard settings'],
    querystring: Query,
    response: { 200: NotificationSettings.ref, ...keyedErrors() },
  };
  const readingRule = { action: 'notification.get', access: 'people', ofBothEnvironments: true } as const;
  app.get(address, { schema: reading, config: readingRule, onRequest: requireCaller }, async (request) =>
    settingsBody(await getNotificationSettings({ pool }, callerOf(request))),
  );
  const updating = {
    operationId: 'updateNotifications',
    summary: 'Update your notification settings',
    description:
      'Changes the settings of the person who is signed in, in this account. Viewers can change theirs, too. Safe to retry.',
    tags: ['Dashboard settings'],
    querystring: Query,
    body: UpdateNotificationsRequest.ref,
    response: { 200: NotificationSettings.ref, ...bodyErrors('invalid_request') },
  };
  const updatingRule = { action: 'notification.update', access: 'people', ofBothEnvironments: true } as const;
  app.patch(address, { schema: updating, config: updatingRule, onRequest: requireCaller }, async (request) => {
    const { partnerId, environment, by } = callerOf(request);
    const { live_payout_problems: ofLive, sandbox_payout_problems: ofSandbox } = request.body;
    const change = {
      ...(ofLive === undefined ? {} : { live: ofLive }),
      ...(ofSandbox === undefined ? {} : { sandbox: ofSandbox }),
    };
    const settings = await updateNotificationSettings(
      { pool },
      { partnerId, environment, by, requestId: request.id },
      change,
    );
    deps.activity.isRecorded(request);
    return settingsBody(settings);
  });
}
