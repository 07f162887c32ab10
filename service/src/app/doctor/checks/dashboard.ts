import { access } from 'node:fs/promises';
import path from 'node:path';
import { settings } from '../../../platform/configuration/settings.ts';
import { dashboardFolder } from '../../wiring/built-pages.ts';
import type { DoctorDeps } from '../deps.ts';
import { ok, problem, type Check } from '../finding.ts';

export function checkDashboard({ given }: DoctorDeps, folder = dashboardFolder): Check {
  return {
    name: 'dashboard',
    async run() {
      const elsewhere = given.find(settings.dashboardUrl);
      if (elsewhere !== null) return [ok(`The dashboard is served at ${elsewhere}.`)];
      const isBuilt = await access(path.join(folder, 'index.html')).then(
        () => true,
        () => false,
      );
      return isBuilt
        ? [ok('The dashboard is built.')]
        : [problem('The dashboard is not built, so /dashboard answers 404. Run npm run dashboard:build.')];
    },
  };
}
