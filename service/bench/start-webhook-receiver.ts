import { fork } from 'node:child_process';
import { once } from 'node:events';
import { valueAt } from '@kelpie/dev/json.ts';

interface WebhookReceiver {
  url: string;
  end(): void;
}

const startWithinMs = 30_000;

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const child = fork(new URL('webhook-receiver.ts', import.meta.url));
  const message: unknown = (await once(child, 'message', { signal: AbortSignal.timeout(startWithinMs) })).at(0);
  return { url: `http://127.0.0.1:${String(valueAt(message, 'port'))}/kelpie`, end: () => void child.kill('SIGKILL') };
}
