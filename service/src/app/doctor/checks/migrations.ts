import { settings } from '../../../platform/configuration/settings.ts';
import { planMigrations } from '../../../platform/database/plan-migrations.ts';
import type { DoctorDeps } from '../deps.ts';
import { NotChecked, ok, problem, warning, type Check } from '../finding.ts';

export function checkMigrations({ given }: DoctorDeps): Check {
  return {
    name: 'migrations',
    async run() {
      const url = given.find(settings.readerDatabaseUrl);
      if (url === null) throw new NotChecked(`${settings.readerDatabaseUrl.variable} is not set.`);
      const { migrations, functions } = await planMigrations({ url });
      const before = migrations.filter(({ runs }) => runs === 'before deploy').map(({ name }) => name);
      const after = migrations.filter(({ runs }) => runs === 'after deploy').map(({ name }) => name);
      if (before.length > 0 || functions.length > 0) {
        const what = before.length > 0 ? before.join(', ') : `functions (${functions.length})`;
        return [problem(`Not applied: ${what}. Run kelpie-admin migrate.`)];
      }
      if (after.length > 0)
        return [warning(`Not applied: ${after.join(', ')}. Run kelpie-admin migrate --after-deploy after the deploy.`)];
      return [ok('The database has every migration of this version.')];
    },
  };
}
