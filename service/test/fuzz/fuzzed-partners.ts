import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { TestDatabase } from '../harness/database.ts';
import { addKey, createPartners, depositToEach } from '../harness/partners.ts';
import type { FundedPartner } from './model.ts';

/** More than can be spent, so that 402 is not the only answer. */
const plenty = 1_000_000_000_000_000n;
const little = 100_000_000n;

/** Those who ask: most can pay, one is soon out of money, and one may not pay at all. All on the simulated rail. */
export async function createFuzzedPartners(database: TestDatabase, count: number): Promise<FundedPartner[]> {
  const partnerEnvironments = await createPartners(database, count);
  const [poor, suspended, ...rich] = partnerEnvironments;
  if (poor === undefined || suspended === undefined) throw new Error('too few partners');
  await depositToEach(database, [poor], little);
  await depositToEach(database, [suspended, ...rich], plenty);
  const slugs = await asAdmin(database.superuserUrl, async (client) => {
    await client.query(`update kelpie.partners set status = 'suspended' where id = $1`, [suspended.partnerId]);
    const { rows } = await client.query<{ id: string; slug: string }>('select id, slug from kelpie.partners');
    return new Map(rows.map(({ id, slug }) => [id, slug]));
  });
  const partners: FundedPartner[] = [];
  for (const partnerEnvironment of partnerEnvironments) {
    const slug = slugs.get(partnerEnvironment.partnerId) ?? '';
    const deposit = partnerEnvironment === poor ? little : plenty;
    partners.push({
      ...partnerEnvironment,
      ...(await addKey(database, partnerEnvironment)),
      walletId: '',
      slug,
      deposit,
    });
  }
  return partners;
}
