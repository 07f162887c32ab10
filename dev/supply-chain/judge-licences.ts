import type { Package } from './packages.ts';

/**
 * Licences that let us run, change and ship a package without giving our own code away. MPL-2.0 asks that only for changes of
 * its own files: we change none.
 */
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'OFL-1.1',
  'Python-2.0',
  'Unlicense',
]);

/** They state none in package.json. Read by a person, in the file that the package has. */
const readByHand: Readonly<Record<string, string>> = {
  'format@0.2.2': 'MIT',
  'png-js@2.0.0': 'MIT',
};

/** All parts of an "AND", one part of an "OR". What is not read so is not allowed. */
function isAllowed(licence: string): boolean {
  return licence
    .replace(/^\((.*)\)$/, '$1')
    .split(' AND ')
    .every((part) => part.split(' OR ').some((one) => allowed.has(one)));
}

/** Every package by its licence, and a sentence for each that may not be used. */
export function judgeLicences(packages: readonly Package[]): {
  byLicence: ReadonlyMap<string, readonly string[]>;
  refused: readonly string[];
} {
  const licensed = packages.map(({ name, licence }) => ({ name, licence: readByHand[name] ?? licence ?? 'none' }));
  const byLicence = Map.groupBy(licensed, ({ licence }) => licence);
  return {
    byLicence: new Map([...byLicence].map(([licence, those]) => [licence, those.map(({ name }) => name)])),
    refused: licensed
      .filter(({ licence }) => !isAllowed(licence))
      .map(
        ({ name, licence }) =>
          `${name} has the licence "${licence}", which is not on the list in dev/supply-chain/judge-licences.ts.`,
      ),
  };
}

/** The report of a release: each licence with its packages. */
export function licenceReport(byLicence: ReadonlyMap<string, readonly string[]>): string {
  const licences = [...byLicence].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return licences
    .map(
      ([licence, packages]) =>
        `${licence}\n${packages
          .toSorted()
          .map((name) => `  ${name}\n`)
          .join('')}`,
    )
    .join('\n');
}
