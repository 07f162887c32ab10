import { listAt, optionalTextAt, textAt, valueAt } from '../json.ts';
import { readBillOfMaterials } from './bill-of-materials.ts';

export interface Package {
  /** Name and version. */
  name: string;
  /** As the package states it, in the form of SPDX; null where it states none. */
  licence: string | null;
}

function licenceOf(component: unknown): string | null {
  const [first] = valueAt(component, 'licenses') === undefined ? [] : listAt(component, 'licenses');
  const stated = ['expression', 'license.id', 'license.name'].map((path) => valueAt(first, path));
  return stated.find((one) => typeof one === 'string') ?? null;
}

/** Every package that the lockfile has, our own left out. */
export function listPackages(bill = readBillOfMaterials()): Package[] {
  return listAt(JSON.parse(bill), 'components').flatMap((component) => {
    const group = valueAt(component, 'group') === undefined ? null : optionalTextAt(component, 'group');
    if (group === '@kelpie') return [];
    const name = `${group === null ? '' : `${group}/`}${textAt(component, 'name')}@${textAt(component, 'version')}`;
    return [{ name, licence: licenceOf(component) }];
  });
}
