import { dashboardPages } from '../platform/dashboard-pages.ts';
import type { VersionedDigest } from '../platform/keyed-digest.ts';
import { createMailLinks, type MailLinks } from '../platform/mail/mail-links.ts';

/** Links by which whoever reads an account's contact or billing address confirms it. */
export function createAddressLinks(digest: VersionedDigest, dashboardUrl: string): MailLinks {
  return createMailLinks(digest, (token) => dashboardUrl + dashboardPages.confirmAddress(token));
}
