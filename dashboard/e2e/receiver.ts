import { createServer } from 'node:http';
import { verifyWebhook } from '@kelpie/sdk';

/** A partner's server, which accepts what one of its secrets has signed. */
export interface Receiver {
  url: string;
  /** The types of what it accepted, in order. */
  accepted: string[];
  secrets: string[];
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const receiver: Receiver = {
    url: '',
    accepted: [],
    secrets: [],
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) if (chunk instanceof Buffer) chunks.push(chunk);
      try {
        const { type } = await verifyWebhook(
          { headers: request.headers, body: Buffer.concat(chunks) },
          receiver.secrets,
        );
        receiver.accepted.push(type);
        response.writeHead(200, { 'x-served-by': 'shop-1' }).end(`Thanks for ${type}`);
      } catch {
        response.writeHead(400).end('wrong signature');
      }
    };
    void answer();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the receiver has no address');
  receiver.url = `http://127.0.0.1:${address.port}/kelpie`;
  return receiver;
}
