// Debian's Prometheus and Alertmanager as processes of a test, a trial or a picture.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { diesWithItsParent } from '../child-process.ts';
import { eventually } from '../eventually.ts';
import { findPort } from '../free-port.ts';

export interface MonitoringServer {
  url: string;
  /** Everything it has said so far. */
  output(): string;
  stop(): Promise<void>;
}

interface ServerOptions {
  /** Its configuration and data. The caller removes it. */
  folder: string;
  config: string;
  atEnd: (end: () => Promise<unknown>) => void;
  /** Without one, a free one. */
  port?: number;
}

function requireProgram(file: string): string {
  if (!existsSync(file)) throw new Error(`${file} is missing. Run dev/monitoring/install.sh.`);
  return file;
}

async function startServer(program: string, args: readonly string[], url: string): Promise<MonitoringServer> {
  const [command = '', ...rest] = [...diesWithItsParent, requireProgram(program), ...args];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  let ended = false;
  const exited = new Promise<void>((resolve) => {
    child.once('close', () => {
      ended = true;
      resolve();
    });
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await exited;
    clearTimeout(timer);
  };
  await eventually(`${path.basename(program)} is ready`, async () => {
    if (ended) throw new Error(`${program} ended:\n${said}`);
    return fetch(`${url}/-/ready`, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  return { url, output: () => said, stop };
}

export async function startPrometheus({ folder, config, atEnd, port }: ServerOptions): Promise<MonitoringServer> {
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, 'prometheus.yml');
  await writeFile(file, config);
  const listen = `127.0.0.1:${port ?? (await findPort())}`;
  const args = [
    `--config.file=${file}`,
    `--storage.tsdb.path=${path.join(folder, 'data')}`,
    `--web.listen-address=${listen}`,
  ];
  const server = await startServer('/usr/bin/prometheus', [...args, '--log.level=warn'], `http://${listen}`);
  atEnd(async () => server.stop());
  return server;
}

export async function startAlertmanager({ folder, config, atEnd, port }: ServerOptions): Promise<MonitoringServer> {
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, 'alertmanager.yml');
  // Its receivers' addresses are secrets.
  await writeFile(file, config, { mode: 0o600 });
  const listen = `127.0.0.1:${port ?? (await findPort())}`;
  const args = [
    `--config.file=${file}`,
    `--storage.path=${path.join(folder, 'data')}`,
    `--web.listen-address=${listen}`,
    // It is alone: no cluster, no port for one.
    '--cluster.listen-address=',
    '--log.level=warn',
  ];
  const server = await startServer('/usr/bin/prometheus-alertmanager', args, `http://${listen}`);
  atEnd(async () => server.stop());
  return server;
}

/** What a GET of one of their APIs answers; throws for an error. */
export async function askServer(url: string): Promise<unknown> {
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${url}: ${text}`);
  return JSON.parse(text);
}
