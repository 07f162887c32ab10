import { KelpieError, type SignUpRequest } from '@kelpie/sdk';
import { kelpie } from '../../data/kelpie.ts';

function challengeIn(error: unknown): { challenge: string; bits: number } | undefined {
  if (!(error instanceof KelpieError) || error.code !== 'proof_of_work_required') return undefined;
  const { details } = error;
  if (typeof details !== 'object' || details === null) return undefined;
  const challenge: unknown = Reflect.get(details, 'challenge');
  const bits: unknown = Reflect.get(details, 'bits');
  return typeof challenge === 'string' && typeof bits === 'number' ? { challenge, bits } : undefined;
}

async function solveApart(asked: { challenge: string; bits: number }): Promise<string> {
  const worker = new Worker(new URL('solve-challenge.worker.ts', import.meta.url), { type: 'module' });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  worker.addEventListener('message', ({ data }: MessageEvent<string>) => resolve(data));
  worker.addEventListener('error', () => reject(new Error('the challenge could not be solved')));
  worker.postMessage(asked, {});
  return promise.finally(() => worker.terminate());
}

/** Signs up, and solves the challenge where many do: it takes a second or two, and the person does nothing for it. */
export async function signUpWithProof(request: SignUpRequest) {
  try {
    return await kelpie.signup(request);
  } catch (error) {
    const asked = challengeIn(error);
    if (asked === undefined) throw error;
    const proof_of_work = { challenge: asked.challenge, nonce: await solveApart(asked) };
    return kelpie.signup({ ...request, proof_of_work });
  }
}
