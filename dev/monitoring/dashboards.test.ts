import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { eventually } from '../eventually.ts';
import { listAt } from '../json.ts';
import { dashboardFile, dashboards } from './dashboards/dashboards.ts';
import { drawDashboard } from './dashboards/panels.ts';
import { startExposition } from './exposition.ts';
import { prometheusConfig, rulesFolder } from './files.ts';
import { metricNamesOf } from './metric-names.ts';
import { listSeriesNames } from './published-metrics.ts';
import { readRules } from './rules.ts';
import { askServer, startPrometheus } from './servers.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-dashboards-'));
after(() => rmSync(folder, { recursive: true }));

const queries = dashboards.flatMap(({ name, rows }) =>
  rows.flatMap(({ panels }) =>
    panels.flatMap((panel) =>
      panel.queries.map(({ expression }) => ({ panel: `${name}: ${panel.title}`, expression })),
    ),
  ),
);

test('the files of the dashboards are what the code writes (`npm run dashboards` writes them)', () => {
  for (const dashboard of dashboards)
    assert.equal(readFileSync(dashboardFile(dashboard), 'utf8'), drawDashboard(dashboard), dashboard.name);
});

test('every metric of a panel is one that is published or recorded', async () => {
  const { recorded } = await readRules();
  const known = new Set([...listSeriesNames(), ...recorded.map(({ name }) => name)]);
  assert(queries.length > 40);
  for (const { panel, expression } of queries)
    assert.deepEqual(
      metricNamesOf(expression).filter((name) => !known.has(name)),
      [],
      panel,
    );
});

async function startScraping(): Promise<string> {
  const jobs = ['kelpie-api', 'kelpie-worker', 'patroni', 'haproxy', 'prometheus', 'alertmanager'] as const;
  const started = await Promise.all(jobs.map(async (job) => [job, await startExposition(job)] as const));
  for (const [, exposition] of started) after(async () => exposition.close());
  const targets = new Map(started.map(([job, { address }]) => [job, [address]]));
  const of = (job: (typeof jobs)[number]): string[] => targets.get(job) ?? [];
  const config = prometheusConfig(
    {
      api: of('kelpie-api'),
      worker: of('kelpie-worker'),
      patroni: of('patroni'),
      haproxy: of('haproxy'),
      prometheus: of('prometheus'),
      alertmanager: [],
    },
    rulesFolder,
  );
  const quick = config.replaceAll(/(scrape_interval|scrape_timeout|evaluation_interval): \d+s/g, '$1: 1s');
  const { url } = await startPrometheus({ folder, config: quick, atEnd: after });
  return url;
}

test('every query of every panel has an answer of a real Prometheus that scrapes what is published', async () => {
  const url = await startScraping();
  const answers = async (expression: string): Promise<number> =>
    listAt(await askServer(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`), 'data.result').length;
  for (const { panel, expression } of queries)
    await eventually(`${panel} has data: ${expression}`, async () => (await answers(expression)) > 0);
  await assert.rejects(answers('sum(up'), /parse error/);
  assert.equal(await answers('kelpie_none'), 0);
});
