// The mover: moves one partner to another cell, or takes up the move that is under way. --abort takes it back. It ends with a
// line of JSON that says how far the move is.
import { parseArgs } from 'node:util';
import { systemClock } from '../platform/clock.ts';
import { openPool, type Pool } from '../platform/database/pool.ts';
import { killAtFailpoint, noFailpoint } from '../platform/failpoint.ts';
import { newId } from '../platform/ids.ts';
import { beginAbort, claimMove } from './directory-store.ts';
import { isMoveStep } from './move.ts';
import { runMove } from './move-partner.ts';
import { openDirectory, openLoggerOf, requiredSetting } from './programs.ts';

const { values } = parseArgs({
  options: {
    partner: { type: 'string', default: '' },
    to: { type: 'string', default: '' },
    abort: { type: 'boolean', default: false },
    // Stops before a step; a later start goes on.
    before: { type: 'string', default: '' },
  },
});
const { partner: partnerId, to: toCell, before } = values;

const logger = openLoggerOf('mover');
const directory = openDirectory(logger, 2);
const cells = new Map<string, Pool>();
/** One more for an abort than a step uses at once. */
const connections = 6;
function cell(name: string, pace: 'unhurried' | 'request'): Pool {
  const known = cells.get(`${name} ${pace}`);
  if (known !== undefined) return known;
  const url = requiredSetting(`CELLS_DATABASE_URL_${name.toUpperCase()}`);
  const pool = openPool({ url, connections, applicationName: 'kelpie-mover', logger, pace });
  cells.set(`${name} ${pace}`, pool);
  return pool;
}

const point = process.env['CELLS_TEST_FAILPOINT'] ?? '';
const failpoint = point === '' ? noFailpoint : killAtFailpoint({ point, arrivals: 1 });
try {
  const claimed = await claimMove(directory, { id: newId(systemClock), partnerId, toCell });
  const move = await runMove(
    { directory, cell, logger, failpoint },
    values.abort ? await beginAbort(directory, claimed) : claimed,
    isMoveStep(before) ? before : null,
  );
  const freezeMs = move.freezeMs === null ? null : Math.round(move.freezeMs);
  process.stdout.write(`${JSON.stringify({ event: 'move.stopped', state: move.state, freeze_ms: freezeMs })}\n`);
} finally {
  await Promise.all([directory, ...cells.values()].map(async (pool) => pool.end()));
}
