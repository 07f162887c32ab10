import type { BankClock } from '../clock.ts';
import type { Route } from '../http/route.ts';

const farthestMoveMs = 10 * 366 * 24 * 3_600_000;

function describeClock(clock: BankClock): object {
  return { now: clock.now().toISOString(), shift_ms: clock.shiftMs() };
}

export function clockRoutes(clock: BankClock): readonly Route[] {
  return [
    {
      method: 'GET',
      url: '/clock',
      async perform() {
        return { status: 200, body: describeClock(clock) };
      },
    },
    {
      method: 'POST',
      url: '/clock',
      async perform({ tx, body }) {
        const moveMs = body.optionalWholeNumber('move_ms', { min: -farthestMoveMs, max: farthestMoveMs });
        if (moveMs === null) throw body.apiError('move_ms', 'a whole number');
        await clock.move(tx, moveMs);
        return { status: 200, body: describeClock(clock) };
      },
    },
  ];
}
