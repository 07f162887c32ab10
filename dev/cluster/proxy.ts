// HAProxy runs in this machine's network, so it is found by its configuration file.
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { eventually } from '../eventually.ts';
import { proxyFile } from './configuration.ts';
import type { ClusterPlan } from './plan.ts';
import { killUntilGone, startProgram, type Running } from './processes.ts';

function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

async function listProxies(plan: ClusterPlan): Promise<Running[]> {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids
    .map((pid) => ({ pid, given: argumentsOf(pid) }))
    .filter(({ given }) => path.basename(given[0] ?? '') === 'haproxy' && given.includes(proxyFile(plan)))
    .map(({ pid }) => ({ pid, name: 'haproxy' }));
}

export async function hasProxy(plan: ClusterPlan): Promise<boolean> {
  return (await listProxies(plan)).length > 0;
}

async function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

export async function startProxy(plan: ClusterPlan): Promise<void> {
  if (await hasProxy(plan)) return;
  // -db: one process, in the foreground.
  const command = ['haproxy', '-db', '-f', proxyFile(plan)] as const;
  startProgram({ command, logFile: path.join(plan.folder, 'haproxy.log') });
  await eventually('HAProxy listens', async () => listens(plan.proxyPort));
}

export async function killProxy(plan: ClusterPlan): Promise<void> {
  await killUntilGone(async () => listProxies(plan));
}
