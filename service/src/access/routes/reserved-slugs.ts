/** Short names that people would take for ours. Accounts that have one keep it. */
const reserved: ReadonlySet<string> = new Set(
  `kelpie kelpie-payouts kelpie-support kelpie-security admin administrator root system staff team operator operators
   support help helpdesk contact service security abuse fraud compliance legal privacy billing invoices payments payouts
   finance accounts account sales press jobs postmaster webmaster hostmaster noreply no-reply email
   api app www web docs doc developer developers status dashboard console sign-in signin sign-up signup login logout auth
   account-recovery verify verification confirm freeze unlock live sandbox test demo public partners partner
   official about blog news home index me you everyone`.split(/\s+/),
);

/** `kelpie-…` and `…-kelpie` speak for us, too. */
export function isReservedSlug(slug: string): boolean {
  return reserved.has(slug) || /^-|-$/.test(slug) || slug.split('-').includes('kelpie');
}
