import { setTimeout as wait } from 'node:timers/promises';
import { startChild } from '@kelpie/dev/child-process.ts';
import { parseLogLine } from '@kelpie/dev/log-line.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { moveSteps, stepAfter, type MoveStep } from '../../src/cells/move.ts';
import type { TestPartner } from '../harness/partners.ts';
import type { CellsCast } from './cells-cast.ts';
import type { CellsClients } from './cells-clients.ts';

interface Stopped {
  state: string;
  freezeMs: number | null;
  /** How long each step took. */
  steps: string;
  wasKilled: boolean;
}

const moverWithinMs = 600_000;

async function runMover(
  { moverEnv, to }: CellsCast,
  { partnerId }: TestPartner,
  { args = [], killAt = '' }: { args?: string[]; killAt?: string } = {},
): Promise<Stopped> {
  const mover = startChild({
    name: 'mover',
    file: 'service/src/cells/mover.ts',
    args: ['--partner', partnerId, '--to', to.name, ...args],
    env: { ...moverEnv, CELLS_TEST_FAILPOINT: killAt },
  });
  const timer = setTimeout(() => mover.kill('SIGKILL'), moverWithinMs);
  const { code, signal } = await mover.exited;
  clearTimeout(timer);
  if (signal === 'SIGKILL') return { state: '', freezeMs: null, steps: '', wasKilled: true };
  const lines = mover.lines().map((line) => parseLogLine(line));
  const said = lines.find((line) => line?.event === 'move.stopped');
  const steps = lines
    .filter((line) => line?.event === 'move.step')
    .map((line) => `${String(line?.['action'])} ${String(line?.['duration_ms'])}`)
    .join(', ');
  if (code !== 0 || said === undefined) throw new Error(`the mover ended with ${code}:\n${mover.output()}`);
  const { state, freeze_ms: freezeMs } = said;
  return { state: String(state), freezeMs: typeof freezeMs === 'number' ? freezeMs : null, steps, wasKilled: false };
}

export const beforeTheSwitch: readonly MoveStep[] = moveSteps.slice(0, moveSteps.indexOf('switch') + 1);
const afterTheSwitch = moveSteps.slice(moveSteps.indexOf('switch') + 1);
const fewPayouts = 10;

function expectState(clients: CellsClients, what: string, { state, wasKilled }: Stopped, wanted: string): void {
  if (state !== wanted || wasKilled)
    clients.violations.push(`${what} ended ${wasKilled ? 'by a kill' : state}, not ${wanted}`);
}

async function countRowsAt({ to }: CellsCast, { partnerId }: TestPartner): Promise<number> {
  return asAdmin(to.database.superuserUrl, async (client) => {
    const { rows: tables } = await client.query<{ name: string; partner_column: string }>(
      'select name, partner_column from cells.partner_tables',
    );
    let count = 0;
    for (const { name, partner_column: column } of tables) {
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::int as count from kelpie.${name} where ${column} = $1`,
        [partnerId],
      );
      count += rows[0]?.count ?? 0;
    }
    return count;
  });
}

/** The partner pays where it was: so many more payouts are answered. */
async function untilItPays({ acknowledged, violations }: CellsClients, { partnerId }: TestPartner): Promise<void> {
  const count = (): number => acknowledged.get(partnerId)?.size ?? 0;
  const upto = count() + fewPayouts;
  const until = performance.now() + 60_000;
  while (count() < upto) {
    if (performance.now() > until) {
      violations.push('the partner did not pay again after an abort');
      return;
    }
    await wait(50);
  }
}

/** Kills a mover at the end of a step before it is recorded, has another one do the step, and aborts the move then. */
async function breakOff(clients: CellsClients, step: MoveStep, say: (text: string) => void): Promise<void> {
  const { cast, tally, violations } = clients;
  const { moved } = cast;
  // The switch is one commit: the last moment to abort is before it.
  const killAt = step === 'switch' ? 'switch.begun' : step === 'copy' ? 'copy.page' : `${step}.done`;
  const killed = await runMover(cast, moved, { killAt });
  if (!killed.wasKilled) violations.push(`the mover was not killed at ${killAt}`);
  tally.add('kills');
  const before = step === 'switch' ? step : stepAfter(step);
  expectState(clients, `a move before ${before}`, await runMover(cast, moved, { args: ['--before', before] }), before);
  expectState(clients, `an abort after ${step}`, await runMover(cast, moved, { args: ['--abort'] }), 'aborted');
  tally.add('aborts');
  const left = await countRowsAt(cast, moved);
  if (left > 0) violations.push(`${left} rows were left in the other cell by an abort after ${step}`);
  await untilItPays(clients, moved);
  say(`killed and aborted at ${step}`);
}

/** After the switch there is only forward: a mover that is killed is followed by one that goes on. */
async function moveWithKills(clients: CellsClients, say: (text: string) => void): Promise<void> {
  const { cast, tally, violations } = clients;
  for (const step of afterTheSwitch) {
    const { wasKilled } = await runMover(cast, cast.small, { killAt: `${step}.done` });
    if (!wasKilled) violations.push(`the mover was not killed at ${step}`);
    tally.add('kills');
  }
  expectState(clients, 'the move of the small partner', await runMover(cast, cast.small), 'done');
  await untilItPays(clients, cast.small);
  say('the small partner was moved by movers that were killed');
}

/** While the partner has little: a copy takes a moment. */
export async function breakOffEarly(
  clients: CellsClients,
  { abortedAt, say }: { abortedAt: readonly MoveStep[]; say: (text: string) => void },
): Promise<void> {
  for (const step of abortedAt) await breakOff(clients, step, say);
  await moveWithKills(clients, say);
}

/** Returns for how long the partner was held. */
export async function moveAtLast(clients: CellsClients, say: (text: string) => void): Promise<number> {
  const moved = await runMover(clients.cast, clients.cast.moved);
  expectState(clients, 'the move', moved, 'done');
  await untilItPays(clients, clients.cast.moved);
  say(`moved: requests were held for ${moved.freezeMs} ms (${moved.steps})`);
  return moved.freezeMs ?? 0;
}
