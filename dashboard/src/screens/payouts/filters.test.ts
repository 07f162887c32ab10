import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateIn, exportAddress, filtersOf, payoutIdIn, searchOf, viewFrom } from './filters.ts';

const now = new Date('2026-11-15T12:34:56Z');

test('a view survives the way through an address', () => {
  const address = 'status=failed%2Creturned&period=7d&via=api&search=Order+42&cursor=abc';
  assert.equal(searchOf(viewFrom(new URLSearchParams(address))).toString(), address);
  assert.equal(searchOf(viewFrom(new URLSearchParams(''))).toString(), '');
});

test('chosen dates are whole days, the last one too, and are left out where another period is chosen', () => {
  const address = 'period=dates&from=2026-03-28&to=2026-03-29';
  const view = viewFrom(new URLSearchParams(address));
  assert.equal(searchOf(view).toString(), address);
  assert.deepEqual(filtersOf(view, now), {
    limit: 50,
    created_after: '2026-03-27T23:59:59.999Z',
    created_before: '2026-03-29T23:00:00.000Z',
  });
  assert.equal(searchOf({ ...view, period: '7d' }).toString(), 'period=7d');
  assert.deepEqual(filtersOf({ ...view, from: '', to: '' }, now), { limit: 50 });
});

function after(address: string) {
  return filtersOf(viewFrom(new URLSearchParams(address)), now).created_after;
}

test('a payout created as a London day began belongs to that day, however the day is chosen', () => {
  assert.equal(after('period=dates&from=2026-11-15'), '2026-11-14T23:59:59.999Z');
  assert.equal(after('period=today'), '2026-11-14T23:59:59.999Z');
  assert.equal(after('period=7d'), '2026-11-07T23:59:59.999Z');
  assert.equal(after('period=dates&from=2026-07-01'), '2026-06-30T22:59:59.999Z');
});

test('only a day that there is, of this century, is taken for a date', () => {
  assert.deepEqual(['2026-02-28', '2028-02-29', '2100-12-31'].map(dateIn), ['2026-02-28', '2028-02-29', '2100-12-31']);
  const wrong = ['2026-02-31', '2026-13-01', '2026-00-10', '9999-01-01', '0002-11-15', '1999-12-31', 'soon', ''];
  assert.deepEqual(
    wrong.map(dateIn),
    wrong.map(() => ''),
  );
  assert.equal(dateIn(null), '');
});

test('an export has the filters of the list, and not its page', () => {
  const view = viewFrom(new URLSearchParams('status=failed,returned&via=api&search=Order+42&cursor=abc'));
  assert.equal(
    exportAddress(filtersOf(view, now), 'live'),
    '/v1/payouts.csv?environment=live&status=failed%2Creturned&created_via=api&reference=Order+42',
  );
});

test('what an address says wrongly is ignored, never sent to the API', () => {
  const view = viewFrom(new URLSearchParams('status=lost,failed&period=ages&from=soon&via=phone'));
  assert.deepEqual(filtersOf(view, now), { limit: 50, status: ['failed'] });
});

function find(search: string) {
  return filtersOf({ ...viewFrom(new URLSearchParams()), search }, now);
}

test('four digits look for the end of an account, other words for a reference', () => {
  assert.deepEqual(find(' 5678 '), { limit: 50, account_last4: '5678' });
  assert.deepEqual(find('Order 5678'), { limit: 50, reference: 'Order 5678' });
});

test('a whole id leads to its payout', () => {
  const id = '01999999-aaaa-7bbb-8ccc-ddddeeeeffff';
  assert.equal(payoutIdIn(` ${id.toUpperCase()} `), id);
  assert.equal(payoutIdIn('Order 42'), undefined);
});
