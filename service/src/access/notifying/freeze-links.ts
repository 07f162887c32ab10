import { dashboardPages } from '../../platform/dashboard-pages.ts';
import type { VersionedDigest } from '../../platform/keyed-digest.ts';
import { createMailLinks, type MailLinks } from '../../platform/mail/mail-links.ts';

/** Links by which a recipient freezes a partner's live payouts. */
export function createFreezeLinks(digest: VersionedDigest, dashboardUrl: string): MailLinks {
  return createMailLinks(digest, (token) => dashboardUrl + dashboardPages.notMe(token));
}
