// npm run dashboards: writes the dashboards that Grafana imports.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { dashboardFile, dashboards } from './dashboards.ts';
import { drawDashboard } from './panels.ts';

for (const dashboard of dashboards) {
  const file = dashboardFile(dashboard);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, drawDashboard(dashboard));
}
