// npm run monitoring:pictures -- PROMETHEUS_URL [--minutes 60]: draws key panels of the dashboards from what a Prometheus has
// recorded, into docs/images.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { listAt, textAt, valueAt } from '../json.ts';
import { projectFolder } from '../project.ts';
import { dashboards } from './dashboards/dashboards.ts';
import type { Panel } from './dashboards/panels.ts';
import { drawPanels, type Curve, type Range } from './draw-panels.ts';
import { askServer } from './servers.ts';

/** Two panels each, by their titles. */
const pictures = [
  {
    file: 'monitoring-service.svg',
    dashboard: 'kelpie-service',
    panels: ['Requests by route', 'Latency of creation'],
  },
  { file: 'monitoring-money.svg', dashboard: 'kelpie-money', panels: ['States entered', 'Time to completion'] },
  {
    file: 'monitoring-operations.svg',
    dashboard: 'kelpie-operations',
    panels: ['Delay of webhooks', 'Age of the oldest'],
  },
] as const;

const mostCurves = 4;
const points = 120;

function findPanel(dashboard: string, title: string): Panel {
  const rows = dashboards.find(({ name }) => name === dashboard)?.rows ?? [];
  const panel = rows.flatMap(({ panels }) => panels).find((each) => each.title === title);
  if (panel === undefined) throw new Error(`${dashboard} has no panel ${title}`);
  return panel;
}

/** The legend with the values of its labels. */
function nameCurve(legend: string, metric: unknown): string {
  return legend.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => textAt(metric, label));
}

function largest({ points: drawn }: Curve): number {
  return Math.max(...drawn.map(({ value }) => value), 0);
}

async function readCurves(url: string, panel: Panel, { from, to, stepSeconds }: Range): Promise<Curve[]> {
  const curves = await Promise.all(
    panel.queries.map(async ({ expression, legend }) => {
      const asked = new URLSearchParams({
        query: expression,
        start: String(from),
        end: String(to),
        step: String(stepSeconds),
      });
      const answer = await askServer(`${url}/api/v1/query_range?${asked.toString()}`);
      return listAt(answer, 'data.result').map((series): Curve => ({
        label: nameCurve(legend, valueAt(series, 'metric')),
        points: listAt(series, 'values')
          .map((pair) => ({ at: Number(valueAt(pair, '0')), value: Number(valueAt(pair, '1')) }))
          .filter(({ value }) => Number.isFinite(value)),
      }));
    }),
  );
  return curves
    .flat()
    .toSorted((one, other) => largest(other) - largest(one))
    .slice(0, mostCurves);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string', default: '60' } },
});
const [url] = positionals;
const minutes = Number(values.minutes);
if (url === undefined || !(minutes > 0)) {
  console.error('Usage: npm run monitoring:pictures -- PROMETHEUS_URL [--minutes 60]');
  process.exit(2);
}
const stepSeconds = Math.max(1, Math.round((minutes * 60) / points));
const to = Math.floor(Date.now() / 1_000);
const range = { from: to - points * stepSeconds, to, stepSeconds };
for (const { file, dashboard, panels } of pictures) {
  const chosen = panels.map((title) => findPanel(dashboard, title));
  const drawn = await Promise.all(
    chosen.map(async (panel) => ({ panel, curves: await readCurves(url.replace(/\/$/, ''), panel, range) })),
  );
  const title = chosen.map((panel) => panel.title).join(', and: ');
  writeFileSync(path.join(projectFolder, 'docs/images', file), drawPanels(title, drawn, range));
  console.log(`docs/images/${file}: ${drawn.map(({ curves }) => curves.length).join(' and ')} curves`);
}
