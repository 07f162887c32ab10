import type { Authentication } from '../../http/auth/authentication.ts';
import { Query } from '../../http/schema/fields.ts';
import { bodyErrors } from '../../http/errors/responses.ts';
import type { Server } from '../../http/server.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { getAccount } from '../store.ts';
import { bankCannotBeAsked, startVerification, type StartDeps } from '../verification/start-verification.ts';
import { Compliance, complianceBody } from './account-routes.ts';

interface RouteDeps extends Authentication, Omit<StartDeps, 'bank'> {
  calls: SingleCalls;
  /** Null where there is no live bank. */
  bank: StartDeps['bank'] | null;
  /** Where the bank sends a person who is done with its pages. */
  redirectUrl: string;
}

/** How an admin starts the verification of the business, and finds the pages where it goes on. */
export function addVerificationRoutes(app: Server, { bank, redirectUrl, ...deps }: RouteDeps): void {
  const schema = {
    operationId: 'startVerification',
    summary: 'Start business verification',
    description:
      "Starts the verification that live payouts need, and returns the bank's pages where a person continues it. Safe to retry: a verification in progress is returned as it is, and a rejected one starts again.",
    tags: ['Dashboard settings'],
    querystring: Query,
    response: { 200: Compliance.ref, ...bodyErrors() },
  };
  const config = { action: 'verification.start', access: 'admins', ofBothEnvironments: true } as const;
  app.post('/v1/compliance/verification', { schema, config, onRequest: deps.requireCaller }, async (request) => {
    const { partnerId, environment, by: email, callerId: sessionId } = deps.callerOf(request);
    if (bank === null) throw bankCannotBeAsked('there is no live bank');
    await startVerification({ ...deps, bank }, { partnerId, environment, sessionId, email, redirectUrl });
    return complianceBody(await getAccount(deps.calls, { partnerId, environment }));
  });
}
