import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { runCommand } from '../cluster/run-command.ts';
import { valueAt } from '../json.ts';
import { projectFolder } from '../project.ts';

const timeoutMs = 300_000;

interface Package {
  name: string;
  licence: string;
  folder: string;
}

const released = ['service', 'dashboard', 'docs-site', 'sandbox-bank'].flatMap((name) => [
  '--filter',
  `@kelpie/${name}`,
]);

/** Every package that a release may contain something of. */
async function listPackages(): Promise<Package[]> {
  const list = ['--dir', projectFolder, ...released, 'licenses', 'list', '--prod', '--json'];
  const printed = await runCommand('pnpm', list, timeoutMs);
  const byLicence: unknown = JSON.parse(printed);
  if (typeof byLicence !== 'object' || byLicence === null) throw new Error('pnpm listed no licences');
  const found = Object.entries(byLicence).flatMap(([licence, packages]: [string, unknown]) =>
    (Array.isArray(packages) ? packages : []).flatMap((each: unknown) => {
      const [name, folders] = [valueAt(each, 'name'), valueAt(each, 'paths')];
      if (typeof name !== 'string' || !Array.isArray(folders)) throw new Error('pnpm listed a package without a name');
      return folders.filter((folder) => typeof folder === 'string').map((folder) => ({ name, licence, folder }));
    }),
  );
  return found;
}

function textOf({ name, licence, folder }: Package): string {
  const [file] = existsSync(folder) ? globSync('{LICEN[CS]E,licen[cs]e}*', { cwd: folder }).toSorted() : [];
  const text =
    file === undefined ? 'The package has no file with the text.' : readFileSync(path.join(folder, file), 'utf8');
  return `${name} (${licence})\n\n${text.trim()}\n`;
}

/** Our own licence, and those of everything by others in a release: each asks that its text goes with it. */
export async function licenceTexts(): Promise<string> {
  const own = readFileSync(path.join(projectFolder, 'LICENSE'), 'utf8');
  // Its package has no file with it.
  const node = `node (MIT and others)\n\nhttps://github.com/nodejs/node/blob/v${manifest.devDependencies.node}/LICENSE\n`;
  const packages = (await listPackages()).toSorted((one, other) => one.name.localeCompare(other.name, 'en'));
  return [...new Set([own, node, ...packages.map(textOf)])].join(`\n${'-'.repeat(80)}\n\n`);
}
