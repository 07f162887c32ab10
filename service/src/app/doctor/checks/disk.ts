import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { settings } from '../../../platform/configuration/settings.ts';
import type { DoctorDeps } from '../deps.ts';
import { ok, problem, type Check, type Finding } from '../finding.ts';

const bytesPerMegabyte = 1024 ** 2;

/** The folders that Kelpie writes to. */
function foldersOf({ given }: DoctorDeps): string[] {
  const files = [settings.auditAnchors, settings.ledgerAnchors, settings.heartbeatAnchor].map((each) =>
    given.find(each),
  );
  const folders = files.flatMap((file) => (file === null ? [] : [path.dirname(file)]));
  return [...new Set([...folders, tmpdir()])];
}

async function judge(folder: string, minFreeMegabytes: number): Promise<Finding> {
  const found = await statfs(folder).catch(() => null);
  if (found === null) return problem(`${folder} does not exist, or cannot be entered. Mount or create it.`);
  const megabytes = Math.floor((found.bavail * found.bsize) / bytesPerMegabyte);
  return megabytes < minFreeMegabytes
    ? problem(`${folder} has ${megabytes} MB left. Free space, or enlarge the disk.`)
    : ok(`${folder} has ${megabytes} MB left.`);
}

export function checkDisks(deps: DoctorDeps): Check {
  const { minFreeMegabytes } = deps.options;
  return {
    name: 'disk',
    run: async () => Promise.all(foldersOf(deps).map(async (folder) => judge(folder, minFreeMegabytes))),
  };
}
