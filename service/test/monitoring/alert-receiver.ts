import { createServer } from 'node:http';
import { listAt, textAt } from '@kelpie/dev/json.ts';

export interface ReceivedAlert {
  name: string;
  status: 'firing' | 'resolved';
  /** Where it was sent. */
  receiver: string;
  atMs: number;
}

/** The pager, the tickets and the watch of the heartbeat, in one local server. */
export interface AlertReceiver {
  url: string;
  received: readonly ReceivedAlert[];
  close(): Promise<void>;
}

export async function startAlertReceiver(): Promise<AlertReceiver> {
  const received: ReceivedAlert[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const atMs = performance.now();
      for (const alert of listAt(JSON.parse(text), 'alerts'))
        received.push({
          name: textAt(alert, 'labels.alertname'),
          status: textAt(alert, 'status') === 'firing' ? 'firing' : 'resolved',
          receiver: (request.url ?? '').slice(1),
          atMs,
        });
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  if (typeof bound !== 'object' || bound === null) throw new Error('no port');
  return {
    url: `http://127.0.0.1:${bound.port}`,
    received,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
