import { createHash } from 'node:crypto';
import { globSync, lstatSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fillTemplate } from '../cluster/fill-template.ts';
import { runCommand } from '../cluster/run-command.ts';
import { projectFolder } from '../project.ts';
import type { Release } from './release.ts';

const packageFolder = path.join(projectFolder, 'deploy/package');
const compressTimeoutMs = 900_000;

/** In Debian's order a trial is older than the release that it is a trial of. */
function debianVersion({ version }: Pick<Release, 'version'>): string {
  return version.replace('-', '~');
}

interface Staged {
  /** As the package would install it below `/`. */
  root: string;
  /** What writeBundle wrote, with Node. */
  bundle: string;
  /** The configuration of the cluster, the edge and the monitoring, as it is released. */
  deploy: string;
  licences: string;
}

/** Everything that the package installs. */
export async function stagePackage({ root, bundle, deploy, licences }: Staged): Promise<void> {
  const copy = async (from: string, to: string): Promise<void> => cp(from, path.join(root, to), { recursive: true });
  const doc = 'usr/share/doc/kelpie';
  await copy(bundle, 'usr/lib/kelpie');
  await copy(path.join(packageFolder, 'kelpie-admin'), 'usr/bin/kelpie-admin');
  await copy(path.join(packageFolder, 'systemd'), 'usr/lib/systemd/system');
  await copy(path.join(packageFolder, 'sysusers.conf'), 'usr/lib/sysusers.d/kelpie.conf');
  await copy(path.join(packageFolder, 'etc'), 'etc/kelpie');
  await mkdir(path.join(root, 'etc/kelpie/secrets'));
  await copy(deploy, 'usr/share/kelpie');
  for (const file of ['docs', 'CHANGELOG.md']) await copy(path.join(projectFolder, file), `${doc}/${file}`);
  await writeFile(path.join(root, doc, 'copyright'), licences);
}

function filesIn(root: string): string[] {
  const names = globSync('**/*', { cwd: root }).toSorted();
  return names.filter((name) => lstatSync(path.join(root, name)).isFile());
}

/** What dpkg itself reads: who it is, what is the administrator's own, and what `dpkg --verify` compares with. */
async function writeControl(root: string, release: Release): Promise<void> {
  const files = filesIn(root);
  const bytes = files.reduce((sum, file) => sum + lstatSync(path.join(root, file)).size, 0);
  const own = path.join(packageFolder, 'debian');
  const target = path.join(root, 'DEBIAN');
  await mkdir(target);
  const control = fillTemplate(await readFile(path.join(own, 'control'), 'utf8'), {
    VERSION: debianVersion(release),
    INSTALLED_SIZE: String(Math.ceil(bytes / 1024)),
  });
  const digestOf = (file: string): string =>
    createHash('md5')
      .update(readFileSync(path.join(root, file)))
      .digest('hex');
  const sums = files.filter((file) => !file.startsWith('etc/')).map((file) => `${digestOf(file)}  ${file}\n`);
  const settings = files.filter((file) => file.startsWith('etc/')).map((file) => `/${file}\n`);
  await writeFile(path.join(target, 'control'), control);
  await writeFile(path.join(target, 'conffiles'), settings.join(''));
  await writeFile(path.join(target, 'md5sums'), sums.join(''));
  for (const script of ['postinst', 'prerm', 'postrm']) await cp(path.join(own, script), path.join(target, script));
}

export async function writeDeb(root: string, release: Release): Promise<string> {
  await writeControl(root, release);
  // Whatever the umask of who builds it; and only root reads where the secrets will be.
  await runCommand('chmod', ['-R', 'u=rwX,go=rX', root]);
  await chmod(path.join(root, 'etc/kelpie/secrets'), 0o700);
  const deb = path.join(release.folder, `kelpie_${debianVersion(release)}_amd64.deb`);
  const time = `SOURCE_DATE_EPOCH=${release.epochSeconds}`;
  await runCommand('env', [time, 'dpkg-deb', '--root-owner-group', '-Zzstd', '--build', root, deb], compressTimeoutMs);
  return deb;
}
