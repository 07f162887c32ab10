// What the trial stands for others: a bank and a mail relay on the internet, behind TLS as theirs are, and HAProxy.
import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { diesWithItsParent } from '@kelpie/dev/child-process.ts';
import { runCommand } from '@kelpie/dev/cluster/run-command.ts';
import { eventually } from '@kelpie/dev/eventually.ts';

export interface Program {
  stop(): Promise<void>;
}

/** Starts a program of the system, with its words in a file. It ends with us. */
export function startProgram(
  command: readonly string[],
  logFile: string,
  env: Readonly<Record<string, string>> = {},
): Program {
  const log = openSync(logFile, 'a');
  const [file = '', ...args] = [...diesWithItsParent, ...command];
  const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';
  const child = spawn(file, args, { cwd: '/', env: { PATH, ...env }, stdio: ['ignore', log, log], detached: true });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

export async function untilListens(port: number): Promise<void> {
  await eventually(`something listens on ${port}`, async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    const listens = await promise;
    socket.destroy();
    return listens;
  });
}

/** A certificate for localhost by the authority of the database nodes, with its key, as HAProxy reads it. */
export async function makeCertificate(script: string, folder: string, name: string): Promise<string> {
  await runCommand(script, [folder, name, 'DNS:localhost,IP:127.0.0.1']);
  const [cert, key] = await Promise.all(
    ['crt', 'key'].map(async (end) => readFile(path.join(folder, `${name}.${end}`), 'utf8')),
  );
  const file = path.join(folder, `${name}.pem`);
  await writeFile(file, `${cert}${key}`, { mode: 0o600 });
  return file;
}

/** Gives a plain port of this machine another one with TLS. */
export function tlsInFront(ports: readonly { plain: number; tls: number }[], certificate: string): string {
  const listens = ports.map(
    ({ plain, tls }) => `
listen port${tls}
  bind 127.0.0.1:${tls} ssl crt ${certificate}
  server plain 127.0.0.1:${plain}
`,
  );
  return `defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
${listens.join('')}`;
}
