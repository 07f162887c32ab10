import { cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runCommand } from '../cluster/run-command.ts';
import { projectFolder } from '../project.ts';
import type { Release } from './release.ts';

/** What Node links to, and what says which Debian it is. Node brings its own certificates and time zones. */
const basePackages = ['base-files', 'libc6', 'libgcc-s1', 'libstdc++6'];
/** Tables of character sets, which Node has itself, and pages for people. */
const unneeded = ['usr/lib/x86_64-linux-gnu/gconv', 'usr/share/lintian', 'usr/share/man', 'usr/share/info'];
const timeoutMs = 900_000;

/**
 * The newest packages of Debian's mirrors, unpacked and not installed: no script of theirs runs, and there is no shell in the
 * image. What each is stays where scanners look for it in such images.
 */
async function stageBase(root: string, work: string): Promise<void> {
  const downloads = path.join(work, 'base-packages');
  const described = path.join(root, 'var/lib/dpkg/status.d');
  for (const folder of [downloads, described]) await mkdir(folder, { recursive: true });
  await runCommand('sh', ['-c', 'cd "$0" && apt-get download -qq "$@"', downloads, ...basePackages], timeoutMs);
  for (const file of await readdir(downloads)) {
    const deb = path.join(downloads, file);
    await runCommand('dpkg-deb', ['--extract', deb, root]);
    await writeFile(path.join(described, file.split('_')[0] ?? file), await runCommand('dpkg-deb', ['--field', deb]));
  }
  for (const folder of unneeded) await rm(path.join(root, folder), { recursive: true, force: true });
  await cp(path.join(projectFolder, 'deploy/image/etc'), path.join(root, 'etc'), { recursive: true });
}

/** Node on its own: it changes seldom, so a host with the image of the last release need not fetch it again. */
async function stageLayers(work: string, bundle: string): Promise<void> {
  const installed = 'usr/lib/kelpie';
  await mkdir(path.join(work, 'kelpie/usr/lib'), { recursive: true });
  await mkdir(path.join(work, 'node', installed), { recursive: true });
  await cp(bundle, path.join(work, 'kelpie', installed), { recursive: true });
  await rename(path.join(work, 'kelpie', installed, 'bin'), path.join(work, 'node', installed, 'bin'));
  const image = path.join(projectFolder, 'deploy/image');
  await cp(path.join(image, 'ready.ts'), path.join(work, 'kelpie', installed, 'programs/ready.ts'));
  await cp(path.join(image, 'Containerfile'), path.join(work, 'Containerfile'));
}

function labelsOf({ version, commit }: Release): string[] {
  const labels = { title: 'Kelpie', version, revision: commit, licenses: 'LicenseRef-Proprietary' };
  return Object.entries(labels).flatMap(([name, value]) => ['--label', `org.opencontainers.image.${name}=${value}`]);
}

/**
 * The image as one file that podman and docker load. In Docker's format, because the other one has no health check; registries
 * and Kubernetes take both.
 */
export async function writeImage(bundle: string, release: Release): Promise<string> {
  const work = await mkdtemp(path.join(release.folder, '.image-'));
  const [storage, archive] = [
    path.join(work, 'storage'),
    path.join(release.folder, `kelpie-${release.version}-image.tar`),
  ];
  const own = ['--storage-driver', 'vfs', '--root', storage, '--runroot', path.join(work, 'run')];
  const tag = `localhost/kelpie:${release.version}`;
  try {
    await stageBase(path.join(work, 'base'), work);
    await stageLayers(work, bundle);
    await runCommand('chmod', [
      '-R',
      'u=rwX,go=rX',
      ...['base', 'node', 'kelpie'].map((name) => path.join(work, name)),
    ]);
    await runCommand('chmod', ['1777', path.join(work, 'base/tmp')]);
    const build = ['build', '--isolation', 'chroot', '--format', 'docker', '--layers', '--pull-never'];
    const made = ['--timestamp', String(release.epochSeconds), ...labelsOf(release), '--tag', tag, work];
    await runCommand('buildah', [...own, ...build, ...made], timeoutMs);
    await runCommand('buildah', [...own, 'push', '--quiet', tag, `docker-archive:${archive}:${tag}`], timeoutMs);
    await runCommand('gzip', ['-n', '--force', archive], timeoutMs);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return `${archive}.gz`;
}
