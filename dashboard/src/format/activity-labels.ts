import type { ActivityEntry } from '@kelpie/sdk';

interface ActionLabels {
  done: string;
  /** What was refused or failed, as a noun. */
  noun: string;
}

const actions: Readonly<Record<string, ActionLabels>> = {
  'account.enter': { done: 'Account switched', noun: 'Account switch' },
  'account.freeze': { done: 'Live payouts frozen', noun: 'Freeze of live payouts' },
  'account.get': { done: 'Account read', noun: 'Account read' },
  'account.update': { done: 'Settings changed', noun: 'Settings change' },
  'activity.list': { done: 'Activity listed', noun: 'Activity list' },
  'approval_rules.approve': { done: 'Looser approval rules approved', noun: 'Approval of looser rules' },
  'approval_rules.decline': { done: 'Looser approval rules declined', noun: 'Declining of looser rules' },
  'approval_rules.get': { done: 'Approval rules read', noun: 'Approval rules read' },
  'approval_rules.propose': { done: 'Looser approval rules proposed', noun: 'Proposal of looser rules' },
  'approval_rules.update': { done: 'Approval rules changed', noun: 'Approval rule change' },
  'balance.get': { done: 'Balance read', noun: 'Balance read' },
  'compliance.get': { done: 'Verification read', noun: 'Verification read' },
  'deposit.credit': { done: 'Top-up credited', noun: 'Top-up credit' },
  'deposit.list': { done: 'Top-ups listed', noun: 'Top-up list' },
  'deposit.refund': { done: 'Top-up refunded to its sender', noun: 'Top-up refund' },
  'deposit.reverse': { done: 'Top-up reversed', noun: 'Top-up reversal' },
  'event.get': { done: 'Event read', noun: 'Event read' },
  'event.list': { done: 'Events listed', noun: 'Event list' },
  'funding.get': { done: 'Top-up details read', noun: 'Top-up details read' },
  'invoice.get': { done: 'Invoice read', noun: 'Invoice read' },
  'invoice.items': { done: 'Invoice items listed', noun: 'Invoice item list' },
  'invoice.list': { done: 'Invoices listed', noun: 'Invoice list' },
  'invoice.pdf': { done: 'Invoice downloaded as PDF', noun: 'Invoice download' },
  'key.create': { done: 'API key created', noun: 'API key creation' },
  'key.lift_limit': { done: 'Reduced limit of a key lifted', noun: 'Lifting of a reduced limit' },
  'key.list': { done: 'API keys listed', noun: 'API key list' },
  'key.revoke': { done: 'API key revoked', noun: 'API key revocation' },
  'key.roll': { done: 'API key rolled', noun: 'API key roll' },
  'limits.get': { done: 'Limits read', noun: 'Limits read' },
  'limits.update': { done: 'Limits changed', noun: 'Limit change' },
  'login.end': { done: 'Signed out', noun: 'Sign-out' },
  'login.passkey': { done: 'Passkey used to sign in', noun: 'Passkey at sign-in' },
  'login.verify': { done: 'Signed in', noun: 'Sign-in' },
  'member.change': { done: 'Member role changed', noun: 'Member role change' },
  'member.invite': { done: 'Member invited', noun: 'Member invitation' },
  'member.list': { done: 'Members listed', noun: 'Member list' },
  'member.remove': { done: 'Member removed', noun: 'Member removal' },
  'member.reset_passkeys': { done: 'Passkeys reset by support', noun: 'Reset of passkeys' },
  'member.restore': { done: 'Admin restored by support', noun: 'Restoring of an admin' },
  'notification.get': { done: 'Notification settings read', noun: 'Notification settings read' },
  'notification.update': { done: 'Notification settings changed', noun: 'Notification settings change' },
  'passkey.add': { done: 'Passkey added', noun: 'New passkey' },
  'passkey.begin': { done: 'New passkey begun', noun: 'Begin of a new passkey' },
  'passkey.confirm': { done: 'Confirmed with a passkey', noun: 'Confirmation with a passkey' },
  'passkey.list': { done: 'Passkeys listed', noun: 'Passkey list' },
  'passkey.remove': { done: 'Passkey removed', noun: 'Passkey removal' },
  'passkey.rename': { done: 'Passkey renamed', noun: 'Passkey rename' },
  'passkey_rule.get': { done: 'Passkey rule read', noun: 'Passkey rule read' },
  'passkey_rule.update': { done: 'Passkey rule changed', noun: 'Passkey rule change' },
  'payout.cancel': { done: 'Payout cancelled', noun: 'Payout cancellation' },
  'payout.create': { done: 'Payout created', noun: 'Payout' },
  'payout.export': { done: 'Payouts exported as CSV', noun: 'Payout export' },
  'payout.get': { done: 'Payout read', noun: 'Payout read' },
  'payout.history': { done: 'Payout history read', noun: 'Payout history read' },
  'payout.list': { done: 'Payouts listed', noun: 'Payout list' },
  'payout_request.approve': { done: 'Payout approved', noun: 'Payout approval' },
  'payout_request.decline': { done: 'Payout declined', noun: 'Declining of a payout' },
  'payout_request.get': { done: 'Payout request read', noun: 'Payout request read' },
  'payout_request.list': { done: 'Payout requests listed', noun: 'Payout request list' },
  'payout.recipient': { done: 'Payout recipient read', noun: 'Payout recipient read' },
  'public_partner.get': { done: 'Public profile read', noun: 'Public profile read' },
  'quote.create': { done: 'Quote requested', noun: 'Quote' },
  'recipient.list': { done: 'Recipients listed', noun: 'Recipient list' },
  'request.unknown': { done: 'Unknown endpoint called', noun: 'Call to an unknown endpoint' },
  'sandbox.advance': { done: 'Test payout advanced', noun: 'Test payout step' },
  'sandbox.bank': { done: "Sandbox bank's answers set", noun: 'Setting of the sandbox bank' },
  'sandbox.deposit': { done: 'Test money added', noun: 'Test money' },
  'sandbox.fail': { done: 'Test payout failed on purpose', noun: 'Test payout step' },
  'sandbox.hold': { done: 'Test payout held', noun: 'Test payout step' },
  'sandbox.return': { done: 'Test payout returned on purpose', noun: 'Test payout step' },
  'security_event.list': { done: 'Security events listed', noun: 'Security event list' },
  'session.end': { done: 'Session ended', noun: 'Session end' },
  'session.end_all': { done: 'All other sessions ended', noun: 'End of all sessions' },
  'session.list': { done: 'Sessions listed', noun: 'Session list' },
  'statement.get': { done: 'Statement read', noun: 'Statement read' },
  'usage.days': { done: 'Daily usage read', noun: 'Daily usage read' },
  'usage.get': { done: 'Usage read', noun: 'Usage read' },
  'verification.start': { done: 'Verification started', noun: 'Verification start' },
  'webhook.create': { done: 'Webhook created', noun: 'Webhook creation' },
  'webhook.delete': { done: 'Webhook deleted', noun: 'Webhook deletion' },
  'webhook.deliveries': { done: 'Webhook deliveries listed', noun: 'Webhook delivery list' },
  'webhook.delivery': { done: 'Webhook delivery read', noun: 'Webhook delivery read' },
  'webhook.get': { done: 'Webhook read', noun: 'Webhook read' },
  'webhook.list': { done: 'Webhooks listed', noun: 'Webhook list' },
  'webhook.redeliver': { done: 'Webhook events redelivered', noun: 'Webhook redelivery' },
  'webhook.roll': { done: 'Webhook secret rolled', noun: 'Webhook secret roll' },
  'webhook.test': { done: 'Webhook tested', noun: 'Webhook test' },
  'webhook.update': { done: 'Webhook changed', noun: 'Webhook change' },
};

/** People's reads are recorded only when they download a file. */
const downloads: Readonly<Record<string, string>> = {
  'invoice.items': 'Invoice items downloaded as CSV',

  'statement.get': 'Statement downloaded as CSV',
};

/** Why, by the code of the error. A code newer than this page is shown as it is. */
const reasons: Readonly<Record<string, string>> = {
  api_key_required: 'Admins only',
  approval_required: 'Waits for approval by another admin',
  balance_unavailable: 'Balance unavailable',
  corridor_not_enabled: 'Country not enabled',
  idempotency_key_in_use: 'A request with the same key was still in progress',
  idempotency_key_required: 'Idempotency key missing or malformed',
  idempotency_key_reused: 'Idempotency key already used for another payout',
  insufficient_funds: 'Not enough USDC in the wallet',
  internal_error: "Error on Kelpie's side",
  invalid_amount: 'Invalid amount',
  invalid_code: 'Wrong or expired code',
  invalid_confirm_code: 'Wrong or expired confirmation code',
  invalid_json: 'Invalid JSON',
  invalid_recipient: 'Recipient details missing or invalid',
  invalid_request: 'Invalid request',
  key_limit_reached: 'Limit of five active keys reached',
  last_admin: 'The account needs an admin',
  limit_exceeded: 'Limit exceeded',
  method_not_allowed: 'Method not allowed',
  not_found: 'Not found',
  partner_not_active: 'Account not active',
  payload_too_large: 'Request too large',
  payout_not_cancellable: 'Too late to cancel',
  payout_not_created: 'The bank did not accept it',
  payout_request_closed: 'Declined or expired',
  payout_request_void: 'Can no longer be approved',
  rate_limited: 'Too many requests',
  rate_unavailable: 'Exchange rate unavailable',
  recipient_account_rejected: 'The bank rejected the account details',
  second_admin_required: 'Needs another admin',
  session_changed: 'Signed in to another account',
  session_required: 'Dashboard only',
  unavailable: 'Service unavailable',
  unsupported_media_type: 'Content type must be JSON',
  verification_required: 'Business not verified',
  webhook_limit_reached: 'Limit of ten webhooks reached',
};

/** `code_sent`: nothing was done yet, because the person has to confirm it with a code that we emailed. */
export type ActivityOutcome = 'done' | 'code_sent' | 'refused' | 'failed';

const errorCode = /^[a-z]+(_[a-z]+)+$/;

/** Entries without a status are not requests: the bank acted, or we finished what a request began. */
export function activityOutcome({ status, detail }: Pick<ActivityEntry, 'status' | 'detail'>): ActivityOutcome {
  if (detail === 'confirmation_required') return 'code_sent';
  if (status === null) return detail !== null && errorCode.test(detail) ? 'failed' : 'done';
  if (status < 400) return 'done';
  return status < 500 ? 'refused' : 'failed';
}

/** An action newer than this page is shown by its API name. */
export function activityLabel(entry: Pick<ActivityEntry, 'action' | 'by' | 'status' | 'detail'>): string {
  const { action, by } = entry;
  const { done, noun } = actions[action] ?? { done: action, noun: action };
  switch (activityOutcome(entry)) {
    case 'done':
      return (by.includes('@') ? downloads[action] : undefined) ?? done;
    case 'code_sent':
      return `${noun}: confirmation code emailed`;
    case 'refused':
      return `${noun} refused`;
    case 'failed':
      return action === 'payout.create' ? 'Payout not created' : `${noun} failed`;
  }
}

/** Why it was refused or failed; undefined for anything else. */
export function activityReason(entry: Pick<ActivityEntry, 'status' | 'detail'>): string | undefined {
  const outcome = activityOutcome(entry);
  if (entry.detail === null || outcome === 'done' || outcome === 'code_sent') return undefined;
  return reasons[entry.detail] ?? entry.detail;
}
