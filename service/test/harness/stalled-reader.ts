import { connect } from 'node:net';

/** The largest file that we serve, as it is: compressed, a kernel could keep all of it for its reader. */
export const largestFile = '/docs/reference/js/scalar.js';

export interface StalledReader {
  /** Takes what there is, and says how many bytes came until the connection ended. */
  readOn: () => Promise<number>;
  leave: () => void;
}

/** Asks for the largest file and takes nothing of it. */
export async function stallReading(url: string, path = largestFile): Promise<StalledReader> {
  const { promise: connected, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
  socket.pause();
  socket.once('connect', () => resolve());
  socket.once('error', reject);
  await connected;
  socket.off('error', reject);
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  return {
    async readOn() {
      let bytes = 0;
      socket.on('data', (chunk) => (bytes += chunk.length));
      const { promise: closed, resolve: close } = Promise.withResolvers<void>();
      socket.on('close', () => close());
      if (socket.destroyed) close();
      socket.resume();
      await closed;
      return bytes;
    },
    leave: () => void socket.destroy(),
  };
}
