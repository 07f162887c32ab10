// npm run release: from a commit with a tag to everything that is published under it, in .dev/release/VERSION.
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { runCommand } from '../cluster/run-command.ts';
import { projectFolder } from '../project.ts';
import { packSdk } from '../sdk/pack.ts';
import { billOfRelease, readBillOfMaterials } from '../supply-chain/bill-of-materials.ts';
import { judgeLicences, licenceReport } from '../supply-chain/judge-licences.ts';
import { listPackages } from '../supply-chain/packages.ts';
import { packFolder } from './archive.ts';
import { writeBundle } from './bundle.ts';
import { stagePackage, writeDeb } from './deb.ts';
import { writeImage } from './image.ts';
import { licenceTexts } from './licences.ts';
import { cutNotes } from './notes.ts';
import { bankFiles, bankProgram, ownFiles, programs } from './own-files.ts';
import { readRelease, ReleaseError, type Release } from './release.ts';

const buildTimeoutMs = 300_000;

const { values: options } = parseArgs({
  options: {
    /** Builds this version from a commit without a tag, marked as a trial. */
    trial: { type: 'string' },
    /** Leaves the image out, which needs buildah and Debian's mirrors. */
    'without-image': { type: 'boolean', default: false },
  },
});

function say(text: string): void {
  console.log(text);
}

async function requireTools(): Promise<void> {
  if (process.arch !== 'x64') throw new ReleaseError('Releases are built on amd64.');
  const needed = options['without-image'] ? ['dpkg-deb'] : ['dpkg-deb', 'buildah'];
  const missing = needed.filter((tool) => !existsSync(`/usr/bin/${tool}`));
  if (missing.length > 0) throw new ReleaseError(`${missing.join(' and ')} missing. Run dev/release/install.sh`);
}

async function buildPages(): Promise<void> {
  for (const script of ['dashboard:build', 'docs:build'])
    await runCommand('npm', ['--prefix', projectFolder, 'run', '--silent', script], buildTimeoutMs);
}

/** The configuration of everything around the service: the cluster, and what else is in deploy. */
async function stageDeploy(target: string): Promise<void> {
  const source = path.join(projectFolder, 'deploy');
  const isPackaging = (file: string): boolean => /^(package|image)$/.test(path.relative(source, file));
  await cp(source, target, { recursive: true, filter: (file) => !isPackaging(file) });
}

async function writeNotes(release: Release): Promise<void> {
  const notes = cutNotes(await readFile(path.join(projectFolder, 'CHANGELOG.md'), 'utf8'), release);
  if (notes === undefined) throw new ReleaseError(`CHANGELOG.md has no section [${release.version}].`);
  await writeFile(path.join(release.folder, 'RELEASE-NOTES.md'), notes);
}

/** What it is made of, for who looks for known flaws or judges licences later. */
async function writeSupplyChain(release: Release): Promise<void> {
  const { folder, version } = release;
  const bill = billOfRelease(readBillOfMaterials(), release);
  const { byLicence, refused } = judgeLicences(listPackages(bill));
  if (refused.length > 0) throw new ReleaseError(refused.join('\n'));
  await writeFile(path.join(folder, `kelpie-${version}.cdx.json`), bill);
  await writeFile(path.join(folder, `kelpie-${version}-licences.txt`), licenceReport(byLicence));
}

async function writeSums({ folder }: Release): Promise<void> {
  const lines = globSync('*', { cwd: folder })
    .toSorted()
    .map(
      (file) =>
        `${createHash('sha256')
          .update(readFileSync(path.join(folder, file)))
          .digest('hex')}  ${file}\n`,
    );
  await writeFile(path.join(folder, 'SHA256SUMS'), lines.join(''));
}

async function build(release: Release, work: string): Promise<void> {
  const { version, folder, epochSeconds } = release;
  await writeNotes(release);
  await writeSupplyChain(release);
  say('Building the dashboard, the docs and the SDK');
  await buildPages();
  await packSdk(folder);
  say('Bundling the programs');
  const [bundle, bank] = [`kelpie-${version}`, `kelpie-sandbox-bank-${version}`].map((name) => path.join(work, name));
  const deploy = path.join(work, `kelpie-deploy-${version}`);
  if (bundle === undefined || bank === undefined) throw new Error('no folders');
  await writeBundle(bundle, release, { programs, files: ownFiles });
  await writeBundle(bank, release, { programs: bankProgram, files: bankFiles });
  await mkdir(path.join(bundle, 'bin'));
  await cp(path.join(projectFolder, 'node_modules/node/bin/node'), path.join(bundle, 'bin/node'), {
    dereference: true,
  });
  const licences = await licenceTexts();
  await writeFile(path.join(bundle, 'LICENCES'), licences);
  await stageDeploy(deploy);
  for (const each of [bundle, bank, deploy])
    await packFolder(each, path.join(folder, `${path.basename(each)}.tar.gz`), epochSeconds);
  say('Building the Debian package');
  const root = path.join(work, 'root');
  await stagePackage({ root, bundle, deploy, licences });
  await writeDeb(root, release);
  if (options['without-image']) return;
  say('Building the image');
  await writeImage(bundle, release);
}

async function main(): Promise<void> {
  await requireTools();
  const release = await readRelease(options.trial);
  await rm(release.folder, { recursive: true, force: true });
  await mkdir(release.folder, { recursive: true });
  const work = await mkdtemp(path.join(release.folder, '.work-'));
  try {
    await build(release, work);
  } catch (error) {
    // Half a release must not be taken for a whole one.
    await rm(release.folder, { recursive: true });
    throw error;
  }
  await rm(work, { recursive: true });
  await writeSums(release);
  say(`\nKelpie ${release.version} of ${release.commit}, in ${path.relative(process.cwd(), release.folder)}:`);
  for (const file of globSync('*', { cwd: release.folder }).toSorted())
    say(`${(statSync(path.join(release.folder, file)).size / 1e6).toFixed(1).padStart(8)} MB  ${file}`);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
