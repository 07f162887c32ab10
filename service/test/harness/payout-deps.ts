import { after } from 'node:test';
import { openArchive } from '../../src/app/wiring/archive.ts';
import type { Archive } from '../../src/archive/index.ts';
import { createPlanMarkups, createPartnerEnvironments } from '../../src/partners/index.ts';
import { createCommits, type Banks, type PayoutDeps } from '../../src/payouts/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { noFailpoint } from '../../src/platform/failpoint.ts';
import { openPool, type Pool } from '../../src/platform/database/pool.ts';
import { createSingleCalls } from '../../src/platform/database/single-call.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { createEncryptor } from '../../src/platform/encryption.ts';
import type { TestDatabase } from './database.ts';

/** What looking after a payout takes, inside the test's own process, with a bank that the test makes up. */
export function createPayoutDeps(
  database: TestDatabase,
  banks: Pick<Banks, 'provider_sandbox'> & Partial<Banks>,
  atEnd: (end: () => Promise<unknown>) => void = after,
): PayoutDeps & { pool: Pool; archive: Archive } {
  const logger = createLogger('test', 'silent');
  const pool = openPool({ url: database.serviceUrl, connections: 2, applicationName: 'test', logger });
  atEnd(async () => pool.end());
  const calls = createSingleCalls(pool, noFailpoint);
  return {
    pool,
    calls,
    archive: openArchive({ folder: null, calls, clock: systemClock, logger }),
    commits: createCommits(calls, systemClock),
    clock: systemClock,
    logger,
    banks: { simulated: banks.provider_sandbox, provider_production: null, ...banks },
    partnerEnvironments: createPartnerEnvironments(calls),
    markups: createPlanMarkups(calls),
    encryptor: createEncryptor(new Map([[1, Buffer.alloc(32)]])),
  };
}
