import { fork } from 'node:child_process';
import { once } from 'node:events';
import { isTexts } from './checkout-modules.ts';

export type CheckoutOrder =
  | {
      kind: 'serve';
      folder: string;
      adminUrl: string;
      database: string;
      partners: number;
      /** More settings of its api. */
      env: Readonly<Record<string, string>>;
    }
  | { kind: 'restart' };

/** What serves now, and the keys that pay with it. */
export interface CheckoutAnswer {
  port: number;
  pid: number;
  secrets: readonly string[];
}

/** A process that prepares a database and serves it, by the code of one checkout. */
export interface ServedCheckout {
  serve(order: Omit<CheckoutOrder & { kind: 'serve' }, 'kind'>): Promise<CheckoutAnswer>;
  /** Another api process on the same database. */
  restart(): Promise<CheckoutAnswer>;
  end(): Promise<void>;
}

export function isCheckoutOrder(message: unknown): message is CheckoutOrder {
  return typeof message === 'object' && message !== null && 'kind' in message;
}

function isCheckoutAnswer(message: unknown): message is CheckoutAnswer {
  return (
    typeof message === 'object' &&
    message !== null &&
    'port' in message &&
    typeof message.port === 'number' &&
    'pid' in message &&
    typeof message.pid === 'number' &&
    'secrets' in message &&
    isTexts(message.secrets)
  );
}

export function startServedCheckout(): ServedCheckout {
  const child = fork(new URL('serve-checkout.ts', import.meta.url), {
    // Both sides run from their sources: only this checkout could have been built.
    env: { ...process.env, BUILT_PROGRAMS: 'no' },
    // Standard output is for figures alone.
    stdio: ['ignore', 2, 2, 'ipc'],
    // Ctrl-C reaches a whole process group. This one ends in order, when we disconnect from it.
    detached: true,
  });
  const exited = once(child, 'exit');
  const ask = async (order: CheckoutOrder): Promise<CheckoutAnswer> => {
    child.send(order);
    const ended = exited.then(() => Promise.reject(new Error('the process that serves a checkout has ended')));
    const messages: unknown[] = await Promise.race([once(child, 'message'), ended]);
    const [message] = messages;
    if (!isCheckoutAnswer(message)) throw new Error('the process that serves a checkout gave another answer');
    return message;
  };
  return {
    serve: async (order) => ask({ kind: 'serve', ...order }),
    restart: async () => ask({ kind: 'restart' }),
    async end() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
