import { solveChallenge } from './solve-challenge.ts';

// Apart from the page, which stays usable meanwhile.
self.addEventListener('message', ({ data }: MessageEvent<{ challenge: string; bits: number }>) => {
  void solveChallenge(data.challenge, data.bits).then((nonce) => self.postMessage(nonce, {}));
});
