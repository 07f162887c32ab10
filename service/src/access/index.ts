// Who is calling, and what each may do. It owns API keys, people, and how people sign in: how a secret, a code or a session is
// made, what of it is kept, and whose it is. It refuses to know a secret again that it has once given out.
export { findAdminKey, listAdminKeys, type AdminKey } from './admin/key-store.ts';
export { revokeKeyAsOperator } from './admin/revoke-key.ts';
export { createConfirmations } from './confirming/confirmations.ts';
export { createConfirmedTransactions } from './confirming/confirmed-transactions.ts';
export { createApiKey } from './create-api-key.ts';
export { relyingPartyOf } from './passkeys/relying-party.ts';
export { requireAdmin } from './members/require-admin.ts';
export { createApiKeyAuthenticator } from './api-key-authenticator.ts';
export { resetPasskeys } from './admin/reset-passkeys.ts';
export { signAnew, type SignedAnew } from './admin/sign-anew.ts';
export { restoreMember } from './admin/restore-member.ts';
export { findFirstAdmin, isAdminOf, isMemberOf, listAdminEmails, listProblemReaders } from './members/store.ts';
export { createFreezeLinks } from './notifying/freeze-links.ts';
export { createAdminNotifier } from './notifying/notify-admins.ts';
export { createPepper } from './secrets.ts';
export { createUseRecorder, type UseRecorder } from './use-recorder.ts';
export { createCodeDigests } from './signing-in/codes.ts';
export { createMailboxLimit } from './signing-in/mailbox-limit.ts';
export { createSessions, type Sessions } from './signing-in/sessions.ts';
export { createSignUpBudget } from './signing-in/sign-up-budget.ts';
export { endEverySession, endOneSession, listOpenSessions } from './signing-in/store.ts';
