import { after, test } from 'node:test';
import { startOwnServer } from '@kelpie/dev/postgres/own-server.ts';
import { beginAudit, prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { asAdmin, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { testSecrets } from '../harness/secrets.ts';
import { forgetAndRebuild } from './forget-and-rebuild.ts';
import { startRecoveryWorld } from './restoring.ts';

// A real restore: a base backup, the write-ahead log that was archived since, and a point in time before the payouts. The
// bank has them all, and its record says what was paid.

const lost = 1_000;
const moment = 'before_the_payouts';

const server = await startOwnServer();
after(async () => server.remove());
const urls = await prepareDatabase(server.adminUrl);
await beginAudit(urls, testSecrets.KELPIE_AUDIT_KEY);
const database = { ...urls, superuserUrl: urlFor(server.adminUrl, 'kelpie') };
const world = await startRecoveryWorld({ database });

test(`faults 12: ${lost} live payouts that a point-in-time restore forgot are rebuilt, none is sent again, and none is paid twice`, async (t) => {
  const restorable = {
    takeBackup: async () => server.takeBaseBackup(),
    markMoment: async () =>
      asAdmin(server.adminUrl, async (admin) => {
        await admin.query('select pg_create_restore_point($1)', [moment]);
      }),
    async restore() {
      await server.stop();
      await server.restoreTo(moment);
    },
  };
  await forgetAndRebuild(world, restorable, { lost, say: (text) => t.diagnostic(text) });
});
