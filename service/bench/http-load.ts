import { fork } from 'node:child_process';
import { Disturbed, requireSome } from './completions.ts';
import type { GeneratorAnswer, GeneratorOrder, LoadPlan } from './load-plan.ts';
import type { Running } from './slice.ts';

/** The load generator, started once: it is as fast in the last slice as in the first. */
export interface HttpLoad {
  start(plan: LoadPlan): Running;
  /** By the api on this port, in all slices so far. */
  payoutsMade(port: number): PayoutsMade;
  end(): void;
}

export interface PayoutsMade {
  counted: number;
  /** Answered 503, or not at all: the api may have created them. */
  unclear: number;
}

/** Longer than any request may take. */
const patienceMs = 60_000;

function isAnswer(message: unknown): message is GeneratorAnswer {
  return typeof message === 'object' && message !== null && 'kind' in message;
}

export function startHttpLoad(): HttpLoad {
  const child = fork(new URL('load-generator.ts', import.meta.url));
  const send = (order: GeneratorOrder): void => void (child.connected && child.send(order));
  const nextAnswer = async (): Promise<GeneratorAnswer> =>
    new Promise((resolve, reject) => {
      const settle = (message: unknown): void => {
        clearTimeout(timer);
        child.off('message', settle).off('exit', onExit);
        if (isAnswer(message)) resolve(message);
        else reject(message instanceof Error ? message : new Error('the load generator said something else'));
      };
      const onExit = (): void => settle(new Error('the load generator has ended'));
      const timer = setTimeout(() => settle(new Error('the load generator does not answer')), patienceMs);
      child.on('message', settle).on('exit', onExit);
      if (!child.connected) onExit();
    });
  const payouts = new Map<number, PayoutsMade>();
  const payoutsMade = (port: number): PayoutsMade => payouts.get(port) ?? { counted: 0, unclear: 0 };
  return {
    payoutsMade,
    start(plan) {
      send({ kind: 'start', plan });
      return {
        begun: async () => void (await nextAnswer()),
        async finish(window) {
          send({ kind: 'stop', window });
          const answer = await nextAnswer();
          if (answer.kind !== 'counted') throw new Error('the load generator began when it was told to stop');
          const { total, refused, firstRefusal } = answer;
          const { counted, unclear } = payoutsMade(plan.port);
          if (plan.status === 201) payouts.set(plan.port, { counted: counted + total, unclear: unclear + refused });
          if (refused > 0) throw new Disturbed(`requests were refused: ${refused}, the first so:\n${firstRefusal}`);
          return requireSome(answer.counted);
        },
      };
    },
    end: () => void child.kill('SIGKILL'),
  };
}
