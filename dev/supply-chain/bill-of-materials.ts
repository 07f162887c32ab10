import { execFileSync } from 'node:child_process';
import { projectFolder } from '../project.ts';

const timeoutMs = 60_000;
const mostBytes = 64 * 2 ** 20;

/** Every package of the lockfile with its hash and licence, as CycloneDX JSON. Asks no server. */
export function readBillOfMaterials(): string {
  return execFileSync('pnpm', ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'], {
    cwd: projectFolder,
    encoding: 'utf8',
    timeout: timeoutMs,
    maxBuffer: mostBytes,
  });
}

const unordered = new Set(['components', 'dependencies', 'dependsOn']);

function inOrder(list: readonly unknown[]): unknown[] {
  const keyed = list.map((item) => ({ item, key: JSON.stringify(item) }));
  return keyed.toSorted((one, other) => (one.key < other.key ? -1 : 1)).map(({ item }) => item);
}

/**
 * The same in a fixed order, of the commit's time, without a number drawn by chance. Two bills of a commit can still differ: pnpm
 * sometimes leaves out what a package of ours depends on.
 */
export function billOfRelease(bill: string, { epochSeconds }: { epochSeconds: number }): string {
  const parsed: unknown = JSON.parse(bill, (name, value: unknown) => {
    if (name === 'serialNumber') return undefined;
    if (unordered.has(name) && Array.isArray(value)) return inOrder(value);
    return name === 'timestamp' ? new Date(epochSeconds * 1_000).toISOString() : value;
  });
  return `${JSON.stringify(parsed, null, 2)}\n`;
}
