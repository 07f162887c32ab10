import path from 'node:path';
import { monitoringFolder } from '../files.ts';
import { moneyDashboard } from './money.ts';
import { operationsDashboard } from './operations.ts';
import type { Dashboard } from './panels.ts';
import { serviceDashboard } from './service.ts';

export const dashboards: readonly Dashboard[] = [serviceDashboard, moneyDashboard, operationsDashboard];

export function dashboardFile({ name }: Dashboard): string {
  return path.join(monitoringFolder, 'dashboards', `${name}.json`);
}
