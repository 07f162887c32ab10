const everyMs = 2_000;

/** Says from time to time how far it is, how fast, and how long it will take. */
export function createProgress(whole: number, say: (text: string) => void): (done: number) => void {
  const startedAt = performance.now();
  let saidAt = startedAt;
  return (done) => {
    const now = performance.now();
    if (now - saidAt < everyMs && done < whole) return;
    saidAt = now;
    const perSecond = (done * 1000) / (now - startedAt);
    const left = Math.ceil((whole - done) / perSecond);
    say(`${done} of ${whole} payouts, ${perSecond.toFixed(0)}/s, ${Math.floor(left / 60)} min ${left % 60} s left`);
  };
}
