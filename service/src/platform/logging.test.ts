import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Writable } from 'node:stream';
import { createLogger } from './logging.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { valueAt } from '@kelpie/dev/json.ts';
import { ApiError } from './api-error.ts';

function collect() {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { lines, logger: createLogger('test', 'info', stream) };
}

test('a field that is not on the list never reaches the log, only its name does', () => {
  const { lines, logger } = collect();
  logger.info({ payout_id: 'p1', account_number: '12345678' }, 'payout.created');
  assert.match(lines[0] ?? '', /"payout_id":"p1","dropped_fields":\["account_number"\],"event":"payout.created"/);
  assert.doesNotMatch(lines[0] ?? '', /12345678/);
});

test('a child logger is held to the same list', () => {
  const { lines, logger } = collect();
  logger.child({ request_id: 'r1', sort_code: '040004' }).info('request.done');
  assert.match(lines[0] ?? '', /"request_id":"r1"/);
  assert.doesNotMatch(lines[0] ?? '', /040004/);
});

test('the message of an error that we did not write is left out, since it may quote a row', () => {
  const { lines, logger } = collect();
  const error = Object.assign(new Error('Key (email)=(ada@example.com) already exists.'), {
    code: '23505',
    constraint: 'members_email',
  });
  logger.error({ error }, 'request.failed');
  assert.doesNotMatch(lines[0] ?? '', /ada@example/);
  assert.match(lines[0] ?? '', /"code":"23505","text":"members_email"/);
});

test('a refusal is logged with the text that was written for the log', () => {
  const { lines, logger } = collect();
  logger.warn(
    { error: new ApiError({ code: 'unavailable', message: 'Later.', internal: 'pool exhausted' }) },
    'request.refused',
  );
  assert.match(lines[0] ?? '', /"text":"pool exhausted"/);
});

test('an error whose message spans lines leaks none of them', () => {
  const { lines, logger } = collect();
  logger.error({ error: new Error('first\n    at secret-040004\nlast') }, 'request.failed');
  assert.doesNotMatch(lines[0] ?? '', /040004/);
});

test('faults 56: no way of calling the logger carries a planted secret out', () => {
  const { lines, logger } = collect();
  const secret = '040004';
  const changed = new Error('before');
  assert.match(changed.stack ?? '', /before/);
  changed.message = `after\nmore`;
  logger.info({ status: { account_number: secret } }, 'request.done');
  logger.info({ partitions: [{ account_number: secret }] }, 'request.done');
  logger.error(new Error(secret));
  logger.error({ err: new Error(secret) });
  logger.error(
    { error: Object.assign(new Error('x'), { name: `a ${secret}`, code: `b ${secret}` }) },
    'request.failed',
  );
  logger.error({ error: changed }, 'request.failed');
  logger.error({ error: { message: secret, stack: 5, code: 7 } }, 'jobs.engine_error');
  logger.info('%s', secret);
  logger.info(`Reply was already sent to ${secret}`);
  logger.info({ [`name ${secret}`]: 1 }, 'request.done');
  logger.setBindings({ sort_code: secret });
  logger
    .child({ sort_code: secret }, { formatters: { log: () => ({ sort_code: secret }) } })
    .info({ status: 200 }, 'request.done');
  assert.equal(lines.length, 11);
  assert.doesNotMatch(lines.join(''), /040004/);
});

test('an error that is a plain object is described by its name and code', () => {
  const { lines, logger } = collect();
  logger.error({ error: { name: 'error', message: 'x', code: 'ECONNREFUSED' } }, 'jobs.engine_error');
  assert.match(lines[0] ?? '', /"error":\{"name":"error","code":"ECONNREFUSED"/);
});

test('an error that the job engine copied keeps the name of its class, and a driver error without a code gets ours', () => {
  const { lines, logger } = collect();
  const error = new Error('Connection terminated unexpectedly');
  logger.error({ error: { message: error.message, stack: error.stack, queue: 'send-mail' } }, 'jobs.engine_error');
  assert.match(lines[0] ?? '', /"error":\{"name":"Error","code":"connection_lost"/);
});

test('a refusal names the code of its cause', () => {
  const { lines, logger } = collect();
  const cause = Object.assign(new Error('cannot execute UPDATE in a read-only transaction'), { code: '25006' });
  logger.warn({ error: new ApiError({ code: 'unavailable', message: 'Later.', cause }) }, 'request.refused');
  assert.match(lines[0] ?? '', /"code":"unavailable","cause":"25006"/);
});

test('faults 74: a line about a job or a payout is counted where the database or a bank is away, once in each kind', () => {
  const { lines, logger } = collect();
  const away = new ApiError({ code: 'unavailable', message: 'Later.', internal: 'writes_refused' });
  const lost = Object.assign(new Error('lost'), { code: 'ECONNRESET' });
  for (let times = 0; times < 50; times += 1) {
    logger.error({ job_id: String(times), error: away }, 'job.failed');
    logger.error({ partner_id: String(times), error: lost }, 'deposits.not_read');
    logger.warn({ payout_id: String(times), action: 'unreachable' }, 'payout.not_accepted');
  }
  assert.equal(lines.length, 3);
  for (let times = 0; times < 50; times += 1) logger.error({ error: new Error('a bug') }, 'job.failed');
  assert.equal(lines.length, 53);
});

test('faults 74: what an outage repeats is written a few times a second and counted; an alarm about a payout never is', async () => {
  const { lines, logger } = collect();
  const startedAt = performance.now();
  const refused = new ApiError({ code: 'unavailable', message: 'Later.', internal: 'no connection' });
  for (let times = 0; times < 480; times += 1) logger.warn({ error: refused }, 'request.refused');
  for (let times = 0; times < 100; times += 1) logger.error({ payout_id: 'p1' }, 'payout.needs_attention');
  await eventually('they are summed up', async () => lines.some((line) => line.includes('log.repeated')));
  const seconds = Math.ceil((performance.now() - startedAt) / 1_000);
  const written = lines.filter((line) => line.includes('"request.refused"')).length;
  assert(written >= 1 && written <= seconds, `${written} lines in ${seconds} s`);
  assert.equal(lines.filter((line) => line.includes('payout.needs_attention')).length, 100);
  assert(
    lines.some((line) => line.includes(`"repeated":["request.refused unavailable: ${480 - written}"]`)),
    lines.at(-1),
  );
});

test('the time of a line is the instant, to the millisecond', (t) => {
  const { lines, logger } = collect();
  const instants = [
    '2026-11-19T23:59:59.999Z',
    '2026-11-20T00:00:00.000Z',
    '2026-11-20T00:00:00.007Z',
    '2026-11-19T12:00:00.050Z',
  ];
  for (const instant of instants) {
    t.mock.method(Date, 'now', () => Date.parse(instant));
    logger.info('request.done');
  }
  assert.deepEqual(
    lines.map((line) => valueAt(JSON.parse(line), 'time')),
    instants,
  );
});
