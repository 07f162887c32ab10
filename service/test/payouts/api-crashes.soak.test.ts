import { test } from 'node:test';
import { killsAt, newKeys, pointsOf, startCrashWorld } from './crashing.ts';

const { orderAndDie, recover } = await startCrashWorld({ settleAfterMs: 100 });

for (const point of pointsOf('creating', 'api')) {
  test(`faults 1: an api killed at ${point} leaves every payout to happen once or not at all`, async () => {
    for (let kill = 0; kill < killsAt(point); kill += 1) {
      const keys = newKeys();
      await orderAndDie(point, keys);
      await recover(keys);
    }
  });
}
