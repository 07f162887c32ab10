import { createHash } from 'node:crypto';

/** A key that is not a pattern: production refuses those of the other tests. */
function keyOf(purpose: string): string {
  return createHash('sha256').update(`a test of ${purpose}`).digest('hex');
}

const nowhere = '127.0.0.1:1/kelpie?sslmode=verify-full';

/** What production accepts, for every program. Nothing listens at these addresses. */
export const productionSettings = {
  KELPIE_DATABASE_URL: `postgres://kelpie_service:hunter2@${nowhere}`,
  KELPIE_OWNER_DATABASE_URL: `postgres://kelpie_owner:hunter2@${nowhere}`,
  KELPIE_READER_DATABASE_URL: `postgres://kelpie_reader:hunter2@${nowhere}`,
  KELPIE_OPERATOR_DATABASE_URL: `postgres://ada%40kelpie.example:hunter2@${nowhere}`,
  KELPIE_PUBLIC_URL: 'https://api.kelpie.example',
  KELPIE_SMTP_URL: 'smtps://kelpie:hunter2@127.0.0.1:1',
  KELPIE_MAIL_FROM: 'Kelpie <no-reply@kelpie.example>',
  KELPIE_SUPPORT_EMAIL: 'support@kelpie.example',
  KELPIE_HEARTBEAT_ANCHOR: '/mnt/kelpie/heartbeat',
  KELPIE_LEDGER_ANCHORS: '/mnt/kelpie/ledger-anchors',
  KELPIE_LEDGER_KEY: keyOf('ledger'),
  KELPIE_API_KEY_PEPPER: keyOf('pepper'),
  KELPIE_DATA_KEYS: `1:${keyOf('data')}`,
  KELPIE_INDEX_KEY: keyOf('index'),
  KELPIE_ROW_KEY: keyOf('row'),
  KELPIE_AUDIT_KEY: keyOf('audit'),
};
