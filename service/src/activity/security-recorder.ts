import type { SingleCalls } from '../platform/database/single-call.ts';
import type { Logger } from '../platform/logging.ts';
import { insertSecurityEvent, type SecurityActor, type SecurityEvent } from './store.ts';

type RefusedSignIn = Omit<SecurityEvent, 'environment'>;

/** For refused sign-ins, which have no commit of their own: everything else is recorded by the commit of its act. */
export interface SecurityRecorder {
  /** Writes it a moment later. Written at once, it would delay the answer and so tell that the address is a member's. */
  record(actor: SecurityActor, refused: RefusedSignIn): void;
  /** Writes what still waits. */
  stop(): Promise<void>;
}

const writeAfterMs = 250;
/** Guesses are limited per address, so this many wait only while the database is away. */
const mostWaiting = 10_000;
const mostTries = 20;

interface Waiting {
  actor: SecurityActor;
  refused: RefusedSignIn;
  tries: number;
}

export function createSecurityRecorder(calls: SingleCalls, logger: Logger): SecurityRecorder {
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  const write = async (): Promise<void> => {
    const taken = waiting;
    waiting = [];
    for (const { actor, refused, tries } of taken) {
      try {
        await insertSecurityEvent(calls, actor, refused);
      } catch (error) {
        logger.warn({ error, attempt: tries }, 'security_event.not_written');
        if (tries < mostTries) remember({ actor, refused, tries: tries + 1 });
      }
    }
  };

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  };

  function remember(one: Waiting): void {
    if (waiting.length < mostWaiting) waiting.push(one);
    timer ??= setTimeout(() => void flush(), writeAfterMs);
  }

  return {
    record: (actor, refused) => remember({ actor, refused, tries: 1 }),
    async stop() {
      await flush();
      clearTimeout(timer);
    },
  };
}
