import { readFileSync } from 'node:fs';
import { connect } from 'node:net';

/** Bytes over a connection of their own, and all that comes back until it is closed or silent for so long. */
export async function exchangeRaw(
  url: string,
  bytes: string | Buffer,
  { silenceMs = 1_500, localAddress }: { silenceMs?: number; localAddress?: string } = {},
): Promise<string> {
  return new Promise((resolve) => {
    const own = localAddress === undefined ? {} : { localAddress };
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', noDelay: true, ...own });
    let received = '';
    socket.setTimeout(silenceMs, () => socket.destroy());
    socket.on('data', (chunk) => (received += chunk.toString('latin1')));
    // Who is hung up on reads what was said before.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(received));
    socket.write(bytes);
  });
}

/** The statuses of all answers on a connection. */
export function statusesIn(received: string): number[] {
  return [...received.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));
}

/** What the thread that serves has had of the processor since it began. */
export function processorMs(pid: number): number {
  const [nanoseconds = ''] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}
