import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { fileDeadlineMs } from '../../http/limits/deadlines.ts';
import { createDownloads } from '../../http/limits/downloads.ts';
import { answerWithTable } from '../../http/schema/csv-answer.ts';
import { environmentQuery } from '../../http/schema/fields.ts';
import type { Server } from '../../http/server.ts';
import type { Archive } from '../../archive/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { exportPayouts } from '../reading/export-payouts.ts';
import { payoutsCsv } from './examples.ts';
import { filtersFrom, payoutFilters } from './payout-list-routes.ts';

const ExportQuery = Type.Object({ ...environmentQuery, ...payoutFilters }, { additionalProperties: false });

const answer = {
  description: 'A header line, then one line per payout, newest first.',
  headers: { 'Content-Disposition': { type: 'string', description: 'Names the file by environment and date.' } },
  content: {
    'text/csv': {
      schema: Type.Unsafe<Readable>({ type: 'string' }),
      examples: { payouts: { value: payoutsCsv } },
    },
  },
};

interface ExportDeps extends Authentication {
  calls: SingleCalls;
  archive: Archive;
  clock: Clock;
}

/** A file of its own, and not made by the dashboard from the list: so that Activity shows who exported payouts. */
export function addPayoutExportRoutes(
  app: Server,
  { calls, archive, clock, requireCaller, callerOf }: ExportDeps,
): void {
  const download = createDownloads();
  const schema = {
    operationId: 'exportPayouts',
    summary: 'Export payouts',
    description:
      'Returns all payouts that match the filters as one CSV file, newest first. Limit: two downloads at once per account.',
    tags: ['Payouts'],
    querystring: ExportQuery,
    response: { 200: answer, ...keyedErrors('invalid_request') },
  };
  const config = { action: 'payout.export', access: 'readers', deadlineMs: fileDeadlineMs } as const;
  app.get('/v1/payouts.csv', { schema, config, onRequest: requireCaller }, async (request, reply) => {
    const caller = callerOf(request);
    const file = await download(
      caller.partnerId,
      exportPayouts({ calls, archive }, caller, filtersFrom(request.query)),
    );
    const date = clock.now().toISOString().slice(0, 10);
    answerWithTable(reply, `kelpie-payouts-${caller.environment}-${date}.csv`);
    return reply.send(file);
  });
}
