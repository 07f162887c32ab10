import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiKey, payout } from '../test/examples.ts';
import { startStandInApi } from '../test/stand-in-api.ts';
import { createKelpie, KelpieError, KelpieUnreachable } from './index.ts';

const api = await startStandInApi();
const kelpie = createKelpie({ apiKey, baseUrl: api.url });
const csvHeaders = { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': 'attachment; filename="a.csv"' };

test('a file arrives as a stream, with its name and type', async () => {
  api.answer(() => ({ text: 'number,date\r\n', headers: csvHeaders }));
  const downloads: readonly [
    endpoint: string,
    query: object,
    download: Awaited<ReturnType<typeof kelpie.statements.downloadCsv>>,
  ][] = [
    ['/v1/statement', { month: '2026-11', format: 'csv' }, await kelpie.statements.downloadCsv('2026-11')],
    [
      `/v1/invoices/${payout.id}/items`,
      { kind: 'credit', format: 'csv' },
      await kelpie.invoices.downloadItemsCsv(payout.id, { kind: 'credit' }),
    ],
    [`/v1/invoices/${payout.id}.pdf`, {}, await kelpie.invoices.downloadPdf(payout.id)],
    [
      '/v1/payouts.csv',
      { status: 'failed,returned' },
      await kelpie.payouts.downloadCsv({ status: ['failed', 'returned'] }),
    ],
  ];
  for (const [at, [endpoint, query, { name, type, body }]] of downloads.entries()) {
    assert.deepEqual([api.asked[at]?.path, api.asked[at]?.query], [endpoint, query]);
    assert.deepEqual([name, type], ['a.csv', 'text/csv; charset=utf-8']);
    assert(body instanceof ReadableStream);
    assert.equal(await new Response(body).text(), 'number,date\r\n');
  }
});

test('a file is handed on while it arrives', async () => {
  let finish: (() => void) | undefined;
  api.answer((_asked, response) => {
    response.writeHead(200, csvHeaders).write('first\n');
    finish = () => void response.end('last\n');
    return undefined;
  });
  const { body } = await kelpie.statements.downloadCsv('2026-11');
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  assert.equal((await reader.read()).value, 'first\n');
  finish?.();
  assert.equal((await reader.read()).value, 'last\n');
  assert.equal((await reader.read()).done, true);
});

test('a file is tried again until it begins, and a refusal is an error, never a file', async () => {
  let asked = 0;
  api.answer((_asked, response) => {
    asked += 1;
    if (asked === 1) response.destroy();
    return asked === 1 ? undefined : { text: 'whole', headers: csvHeaders };
  });
  assert.equal(await new Response((await kelpie.statements.downloadCsv('2026-11')).body).text(), 'whole');
  api.answer(() => ({ status: 404, json: { error: { code: 'not_found', message: 'No.' } } }));
  await assert.rejects(kelpie.invoices.downloadPdf(payout.id), KelpieError);
});

/** A file that begins and does not end. */
function answerBeginning(after?: 'cut'): void {
  api.answer((_asked, response) => {
    response.writeHead(200, { ...csvHeaders, 'content-length': '1000' });
    response.write('first\n', () => {
      if (after === 'cut') setTimeout(() => response.destroy(), 50);
    });
    return undefined;
  });
}

async function reasonOf(body: ReadableStream<Uint8Array>): Promise<unknown> {
  return new Response(body).text().then(
    () => 'whole',
    (error: unknown) => (error instanceof KelpieUnreachable ? error.reason : error),
  );
}

test('a file that breaks off, stalls or is no longer wanted ends with an error, and does not hang', async () => {
  answerBeginning('cut');
  assert.equal(await reasonOf((await kelpie.statements.downloadCsv('2026-11')).body), 'network');
  answerBeginning();
  assert.equal(await reasonOf((await kelpie.statements.downloadCsv('2026-11', { timeoutMs: 300 })).body), 'timeout');
  const controller = new AbortController();
  answerBeginning();
  const { body } = await kelpie.statements.downloadCsv('2026-11', { signal: controller.signal });
  setTimeout(() => controller.abort(), 50);
  assert.equal(await reasonOf(body), 'aborted');
  answerBeginning();
  await (await kelpie.statements.downloadCsv('2026-11')).body.cancel();
});
