import { createApiKey, createPepper } from '../../access/index.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { openPartner } from '../../partners/index.ts';
import type { WrittenAct } from '../../platform/audit/write-act.ts';
import { newId } from '../../platform/ids.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { runAudited, type WriteOptions, type OperatorDeps } from './run-command.ts';
import { withJobs } from '../wiring/with-jobs.ts';

interface Deps extends OperatorDeps {
  pepper: ReadonlyMap<number, Buffer>;
}

export interface NewPartner extends WriteOptions {
  slug: string;
  name: string;
}

interface CreatedPartner {
  id: string;
  key: string;
  written: WrittenAct;
}

export async function createPartner(deps: Deps, partner: NewPartner): Promise<CreatedPartner> {
  const { slug, name } = partner;
  if (!new RegExp(patterns.slug).test(slug))
    throw new OperatorError('The slug must have 2 to 40 lower-case letters, digits and hyphens.');
  if (name.trim() === '' || name.length > 120) throw new OperatorError('The name must have 1 to 120 characters.');
  try {
    return await writePartner(deps, partner);
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'constraint') === 'partners_slug_key')
      throw new OperatorError(`The slug ${slug} is taken. Choose another.`, 'slug_taken');
    throw error;
  }
}

/** The partner, its key, the job that connects its sandbox and the audit entry are one commit. */
async function writePartner(deps: Deps, partner: NewPartner): Promise<CreatedPartner> {
  const { clock, pepper, record } = deps;
  const { slug, name } = partner;
  const id = newId(clock);
  const context = { partnerId: id, environment: 'sandbox' } as const;
  return withJobs(deps, async (jobs) =>
    runAudited({ ...deps, context }, partner, async (tx) => {
      const written = await record(tx, { action: 'partner.create', subject: id, detail: { slug, name } });
      const partnerEnvironment = await openPartner(tx, { clock, jobs }, { id, slug, name });
      const { secret } = await createApiKey(
        tx,
        { clock, pepper: createPepper(pepper) },
        { ...partnerEnvironment, label: null },
      );
      return { id, key: secret, written };
    }),
  );
}
