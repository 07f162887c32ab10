import { execFileSync } from 'node:child_process';
import { listAt, optionalTextAt, textAt, valueAt } from '../json.ts';
import { projectFolder } from '../project.ts';

export interface Package {
  /** Name and version. */
  name: string;
  /** As the package states it, in the form of SPDX; null where it states none. */
  licence: string | null;
}

const timeoutMs = 60_000;
const mostBytes = 64 * 2 ** 20;

function licenceOf(component: unknown): string | null {
  const [first] = valueAt(component, 'licenses') === undefined ? [] : listAt(component, 'licenses');
  const stated = ['expression', 'license.id', 'license.name'].map((path) => valueAt(first, path));
  return stated.find((one) => typeof one === 'string') ?? null;
}

/** Every package that the lockfile has, our own left out. */
export function listPackages(): Package[] {
  const sbom = execFileSync('pnpm', ['sbom', '--sbom-format', 'cyclonedx'], {
    cwd: projectFolder,
    encoding: 'utf8',
    timeout: timeoutMs,
    maxBuffer: mostBytes,
  });
  return listAt(JSON.parse(sbom), 'components').flatMap((component) => {
    const group = valueAt(component, 'group') === undefined ? null : optionalTextAt(component, 'group');
    if (group === '@kelpie') return [];
    const name = `${group === null ? '' : `${group}/`}${textAt(component, 'name')}@${textAt(component, 'version')}`;
    return [{ name, licence: licenceOf(component) }];
  });
}
