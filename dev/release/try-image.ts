import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '../eventually.ts';
import { isReady, slowMs } from './installed-stack.ts';
import { runProgram, startProgram } from './start-program.ts';

interface ImageTrial {
  bytes: number;
  isReady: boolean;
  /** From the start of the container to the first 200 of /readyz. */
  readyAfterMs: number;
  isHealthy: boolean;
}

/**
 * podman as root, in a mount namespace of its own with only the second version of control groups: also where a container has
 * both, and no service manager.
 */
async function openPodman(work: string) {
  const cgroup =
    'mount -t tmpfs none /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup && echo mounted && exec sleep infinity';
  const holder = startProgram(['unshare', '--mount', '--propagation', 'private', 'sh', '-c', cgroup]);
  await eventually('control groups are mounted', async () => {
    if (holder.hasEnded()) throw new Error(`no mount namespace: ${holder.output()}`);
    return holder.output().includes('mounted');
  });
  const own = ['--root', path.join(work, 'storage'), '--runroot', path.join(work, 'run'), '--storage-driver', 'vfs'];
  const engine = ['--cgroup-manager', 'cgroupfs', '--events-backend', 'file'];
  const podman = ['nsenter', `--mount=/proc/${holder.pid}/ns/mnt`, 'podman', ...own, ...engine];
  return { podman, close: async () => holder.stop() };
}

const confined = ['--cgroups=disabled', '--ulimit=nofile=1024:1024', '--ulimit=nproc=1024:1024', '--network=host'];
const powerless = ['--read-only', '--cap-drop=all', '--security-opt=no-new-privileges'];

/** Runs the api of an image against a real database: read-only, without capabilities, and as its own user. */
export async function tryImage(
  archive: string,
  url: string,
  env: Readonly<Record<string, string>>,
): Promise<ImageTrial> {
  const work = await mkdtemp(path.join(tmpdir(), 'kelpie-image-'));
  const { podman, close } = await openPodman(work);
  try {
    // podman 4.3 does not read a compressed file itself.
    const load = ['sh', '-c', 'gunzip --stdout "$0" | "$@"', archive, ...podman, 'load', '--quiet'];
    const loaded = await runProgram(load);
    const image = /^Loaded image: (.*)$/m.exec(loaded)?.[1] ?? '';
    const size = await runProgram([...podman, 'image', 'inspect', '--format', '{{.Size}}', image]);
    const settings = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    await runProgram([...podman, 'create', '--name=kelpie-try', ...confined, ...powerless, ...settings, image]);
    const startedAt = performance.now();
    const container = startProgram([...podman, 'start', '--attach', 'kelpie-try']);
    const ready = await eventually('the api in the container is ready', async () => isReady(url, container), slowMs);
    const readyAfterMs = Math.round(performance.now() - startedAt);
    const health = startProgram([...podman, 'healthcheck', 'run', 'kelpie-try']);
    const isHealthy = (await health.exited) === 0;
    await runProgram([...podman, 'stop', '--time', '25', 'kelpie-try']);
    await container.exited;
    return { bytes: Number(size), isReady: ready, readyAfterMs, isHealthy };
  } finally {
    await close();
    // Retried: a container that just ended may still be cleaned up.
    await rm(work, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  }
}
