import { readFileSync } from 'node:fs';

/** What a process has of the machine's memory, in MB. */
export function residentMb(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
