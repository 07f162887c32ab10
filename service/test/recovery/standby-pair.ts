import { setTimeout as wait } from 'node:timers/promises';
import { startOwnServer } from '@kelpie/dev/postgres/own-server.ts';
import { beginAudit, prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { asAdmin, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { startTcpProxy } from '@kelpie/dev/tcp-proxy.ts';
import type { TestDatabase } from '../harness/database.ts';
import { testSecrets } from '../harness/secrets.ts';

/** A primary with a synchronous standby, reached through a proxy as through a virtual address. */
export interface StandbyPair {
  database: TestDatabase;
  /** Stops the standby, and for so long cancels every commit that waits for it. */
  cancelWaitsWithoutStandby(forMs: number): Promise<void>;
  /** Kills the primary, and makes the standby the primary. */
  failOver(): Promise<void>;
}

const pauseMs = 100;

/** Cancels every commit of the service that waits for a standby, for so long. How many were cancelled. */
export async function cancelWaits(adminUrl: string, forMs: number): Promise<number> {
  const until = performance.now() + forMs;
  let cancelled = 0;
  while (performance.now() < until) {
    cancelled += await asAdmin(adminUrl, async (admin) => {
      const { rows } = await admin.query<{ count: number }>(
        `select count(pg_cancel_backend(pid))::int as count from pg_stat_activity
         where wait_event = 'SyncRep' and usename = 'kelpie_service'`,
      );
      return rows[0]?.count ?? 0;
    });
    await wait(pauseMs);
  }
  return cancelled;
}

export async function startStandbyPair(atEnd: (end: () => Promise<unknown>) => void): Promise<StandbyPair> {
  const primary = await startOwnServer();
  atEnd(async () => primary.remove());
  const target = { host: '127.0.0.1', port: primary.port };
  const proxy = await startTcpProxy(target);
  atEnd(async () => proxy.close());
  const address = new URL(primary.adminUrl);
  address.port = String(proxy.port);
  const urls = await prepareDatabase(address.href);
  await beginAudit(urls, testSecrets.KELPIE_AUDIT_KEY);
  const standby = await primary.addSynchronousStandby();
  return {
    database: { ...urls, superuserUrl: urlFor(address.href, 'kelpie') },
    async cancelWaitsWithoutStandby(forMs) {
      await standby.stop('fast');
      await cancelWaits(primary.adminUrl, forMs);
    },
    async failOver() {
      await primary.stop('immediate');
      await standby.start();
      await standby.promote();
      target.port = standby.port;
      proxy.cut();
    },
  };
}
