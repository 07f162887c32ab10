import type { Readable } from 'node:stream';
import { Type, type Static } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { answerWithTable, tableFormat, wantsTable } from '../../http/schema/csv-answer.ts';
import { invalidRequest } from '../../http/schema/field-problems.ts';
import { environmentQuery } from '../../http/schema/fields.ts';
import { cursorField, limitField } from '../../http/schema/list-query.ts';
import { nextLink, nextLinkHeader } from '../../http/schema/next-link.ts';
import { cursorRule, patterns } from '../../http/schema/patterns.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { addSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import type { Archive } from '../../archive/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { NameOldPayouts } from '../../payouts/index.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { ApiError } from '../../platform/api-error.ts';
import { monthEnd } from '../../platform/london-month.ts';
import { countedCache, createTtlCache, partnerKey } from '../../platform/ttl-cache.ts';
import { readMovements, readStatement, walkMovements, type Statement } from '../statement/statement.ts';
import { writeStatement } from '../statement/statement-csv.ts';
import { fileDeadlineMs } from '../../http/limits/deadlines.ts';
import { createDownloads } from '../../http/limits/downloads.ts';
import { movementExample, movementNumberExample, statementCsvExample, statementExample } from './examples.ts';
import { Movement, statementBody, StatementSchema } from './statement-body.ts';

const StatementQuery = Type.Object(
  {
    ...environmentQuery,
    month: Type.String({
      pattern: patterns.month,
      description: 'The month, as YYYY-MM, in London time.',
      examples: ['2026-11'],
    }),
    format: Type.Optional(tableFormat),
    limit: limitField(),
    cursor: cursorField(patterns.movementNumber, movementNumberExample),
  },
  { additionalProperties: false },
);

/** Where a page begins, of a month that has a movement with this number. */
function startOf({ firstNumber, nextNumber }: Statement, cursor: string | undefined): bigint {
  if (cursor === undefined) return firstNumber;
  const from = BigInt(cursor);
  if (from >= firstNumber && from < nextNumber) return from;
  throw invalidRequest([{ path: 'cursor', rule: cursorRule }]);
}

/** What is on its way when a month ends is booked long before this. */
const overAfterMs = 3_600_000;
/** A month that is over does not change any more: whoever turns its pages has it added up once. */
const overMemory = { keepMs: 10 * 60_000, most: 10_000 };

function createStatementReader(
  calls: SingleCalls,
): (of: PartnerContext, month: string, now: Date) => Promise<Statement> {
  const memories = {
    over: createTtlCache<Statement>(overMemory),
    open: createTtlCache<Statement>(countedCache),
  };
  return async (of, month, now) => {
    const isOver = now.getTime() > monthEnd(month).getTime() + overAfterMs;
    const cache = isOver ? memories.over : memories.open;
    return cache.get(`${partnerKey(of)} ${month}`, async () => readStatement(calls, of, `${month}-01`));
  };
}

interface StatementDeps extends Authentication {
  calls: SingleCalls;
  reads: SingleCalls;
  archive: Archive;
  nameOldPayouts: NameOldPayouts;
  clock: Clock;
  publicUrl: string;
}

type AskedPage = Pick<Static<typeof StatementQuery>, 'month' | 'cursor' | 'limit'>;

function refuseFuture({ beganAt }: Statement, now: Date): void {
  if (beganAt > now) throw invalidRequest([{ path: 'month', rule: 'must not be in the future' }]);
}

/** A standby can show a movement just before the primary does: of a month read from both, the sums need not fit. */
function isInternal(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'internal_error';
}

const answer = {
  description: 'A page of the statement. As CSV: all of it.',
  headers: { Link: nextLinkHeader },
  content: {
    'application/json': { schema: StatementSchema.ref },
    'text/csv': {
      schema: Type.Unsafe<Readable>({ type: 'string' }),
      examples: { statement: { value: statementCsvExample } },
    },
  },
};

export function addStatementRoutes(app: Server, deps: StatementDeps): void {
  addSchema(app, Movement, movementExample);
  addSchema(app, StatementSchema, statementExample);
  const { calls, reads, archive, nameOldPayouts, clock, publicUrl, callerOf } = deps;
  const primary = { calls, read: createStatementReader(calls) };
  const standby = reads === calls ? primary : { calls: reads, read: createStatementReader(reads) };
  const readPage = async (source: typeof primary, caller: PartnerContext, { month, cursor, limit }: AskedPage) => {
    const statement = await source.read(caller, month, clock.now());
    refuseFuture(statement, clock.now());
    const from = startOf(statement, cursor);
    const movements = await readMovements({ ...source, archive, nameOldPayouts }, caller, statement, {
      from,
      limit: Number(limit ?? 50),
    });
    return { statement, movements, next: from + BigInt(movements.length) };
  };
  const download = createDownloads();
  const schema = {
    operationId: 'getStatement',
    summary: 'Retrieve a statement',
    description:
      'Returns a month of your wallet: opening balance, every movement and closing balance. JSON comes in pages: follow `Link` until there is none. CSV comes in one file, whose last line is the closing balance.',
    tags: ['Wallet'],
    querystring: StatementQuery,
    response: { 200: answer, ...keyedErrors('invalid_request') },
  };
  const config = { action: 'statement.get', access: 'readers', deadlineMs: fileDeadlineMs } as const;
  app.get('/v1/statement', { schema, config, onRequest: deps.requireCaller }, async (request, reply) => {
    const { query } = request;
    const { month } = query;
    const caller = callerOf(request);
    if (wantsTable(request, query.format)) {
      // What the primary shows, a standby has by the time it is asked. The other way round a movement may be missing.
      const statement = await primary.read(caller, month, clock.now());
      refuseFuture(statement, clock.now());
      const lines = writeStatement(
        statement,
        walkMovements({ calls: reads, archive, nameOldPayouts }, caller, statement),
        clock.now(),
      );
      const file = await download(caller.partnerId, lines);
      answerWithTable(reply, `kelpie-statement-${caller.environment}-${month}.csv`);
      return reply.send(file);
    }
    const { statement, movements, next } = await readPage(standby, caller, query).catch(async (error: unknown) => {
      if (standby === primary || !isInternal(error)) throw error;
      return readPage(primary, caller, query);
    });
    if (next < statement.nextNumber)
      reply.header('link', nextLink(`${publicUrl}/v1/statement`, { query, caller, cursor: next.toString() }));
    return statementBody(statement, { environment: caller.environment, month, movements });
  });
}
