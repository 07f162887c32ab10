import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findPrograms, removeCluster, startCluster, type ClusterName } from '@kelpie/dev/postgres/cluster.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { findPostmaster } from './processor-time.ts';

/** A PostgreSQL server to measure. */
export interface BenchServer {
  adminUrl: string;
  programs: string;
  postmaster: number;
  /** For the files that pgbench reads and writes. */
  folder: string;
  /** Runs at the end, in reverse order. */
  atEnd(end: () => Promise<unknown>): void;
  end(): Promise<void>;
}

export async function startBenchServer(cluster: ClusterName): Promise<BenchServer> {
  const endings: (() => Promise<unknown>)[] = [];
  const programs = await findPrograms();
  const { adminUrl } = await startCluster(cluster);
  // Other clusters have other users. This one belongs to the bench alone.
  if (cluster === 'bench') endings.push(async () => removeCluster(cluster));
  const endAll = async (): Promise<void> => {
    for (const end of endings.splice(0).toReversed()) await end();
  };
  let ended: Promise<void> | undefined;
  const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-bench-'));
  endings.push(async () => rmSync(folder, { recursive: true }));
  return {
    adminUrl,
    programs,
    folder,
    postmaster: await findPostmaster(adminUrl),
    atEnd: (end) => void endings.push(end),
    // Once: on Ctrl-C the run that is broken off waits here for what the signal began.
    end: async () => (ended ??= endAll()),
  };
}

/** Vacuums and flushes, so that the work of preparing a database falls into no slice. */
export async function settleDatabase(superuserUrl: string): Promise<void> {
  await asAdmin(superuserUrl, async (client) => {
    await client.query('vacuum analyze');
    await client.query('checkpoint');
  });
}
