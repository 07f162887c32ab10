import type { PlanMarkups, PartnerEnvironments } from '../../partners/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { Logger } from '../../platform/logging.ts';
import type { Encryptor } from '../../platform/encryption.ts';
import type { Banks } from '../model/banks.ts';
import type { Commits } from '../records/commits.ts';

/** What looking after a payout takes, in the api and in the worker. */
export interface PayoutDeps {
  calls: SingleCalls;
  commits: Commits;
  clock: Clock;
  logger: Logger;
  banks: Banks;
  partnerEnvironments: PartnerEnvironments;
  markups: PlanMarkups;
  encryptor: Encryptor;
}
