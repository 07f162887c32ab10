import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byComponent } from '../components.ts';
import { judge, noSignals } from '../judge.ts';
import type { StatusRecord } from '../record.ts';
import { createReport } from '../report.ts';
import { renderPage } from './page.ts';
import { renderJson } from './wire-form.ts';

const at = new Date('2026-11-18T12:03:10Z');
const minutes = { degraded: 0, outage: 0, maintenance: 0 };
const record: StatusRecord = {
  minute: '2026-11-18T12:03:00+00:00',
  now: byComponent(() => 'operational'),
  signals: noSignals,
  days: [
    { day: '2026-08-20', component: 'api', minutes: 1440, ...minutes, outage: 1440 },
    { day: '2026-08-21', component: 'api', minutes: 1440, ...minutes },
    { day: '2026-11-18', component: 'api', minutes: 560, ...minutes, outage: 1, degraded: 65 },
  ],
  incidents: [
    {
      id: 'one',
      title: '<script>alert(1)</script>',
      impact: 'degraded',
      components: ['api', 'payouts'],
      opened_at: '2026-11-18T10:00:00+00:00',
      resolved_at: '2026-11-18T11:05:00+00:00',
      updates: [{ at: '2026-11-18T11:05:00+00:00', text: 'Fixed: "a & b" <b>' }],
    },
  ],
};
const judged = judge(noSignals, { isBankSilent: false, hasDashboard: true });
const report = createReport({ at, judged, record, readAt: at, isCurrent: true });
const html = renderPage(report, { at, supportEmail: 'support@kelpie.example' });

test('the page shows what operators wrote as text, whatever it is', () => {
  assert(!html.includes('<script'));
  assert(html.includes('&lt;script&gt;alert(1)&lt;/script&gt;'));
  assert(html.includes('Fixed: &quot;a &amp; b&quot; &lt;b&gt;'));
  assert(html.includes('Resolved after 1 hour 5 minutes'));
});

test('90 days are shown, uptime is rounded down, and a day before them is not counted', () => {
  const [api, payouts] = report.components;
  assert.deepEqual([api?.days.length, api?.days.at(0)?.day, api?.days.at(-1)?.day], [90, '2026-08-21', '2026-11-18']);
  assert.deepEqual([api?.uptime, payouts?.uptime], ['99.95', null]);
  assert(html.includes('18 November 2026: 1 minute outage, 1 hour 5 minutes degraded'));
});

test('the same is there for programs', () => {
  const json: unknown = JSON.parse(renderJson(report, at));
  assert.partialDeepStrictEqual(json, {
    status: 'operational',
    checked_at: '2026-11-18T12:03:10.000Z',
    is_current: true,
    incidents: [{ resolved_at: '2026-11-18T11:05:00.000Z' }],
  });
});
