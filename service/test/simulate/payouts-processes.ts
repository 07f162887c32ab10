import { findPort } from '@kelpie/dev/free-port.ts';
import type { World } from '../harness/world.ts';
import { createLane } from './lane.ts';
import type { Victim } from './payouts-plan.ts';
import type { Tally } from './tally.ts';

type OwnProcess = Exclude<Victim, 'bank'>;

/** Two api processes and two workers, which can be killed and are started again. */
export interface Processes {
  kill(victim: OwnProcess, tally: Tally): void;
  /** Until all of them run. */
  finish(): Promise<void>;
}

/** The world has one of each; a second one of each is added. */
export async function startProcesses(world: World): Promise<{ processes: Processes; urls: string[] }> {
  const secondPort = { KELPIE_API_PORT: String(await findPort()) };
  let secondApi = await world.addApi(secondPort);
  let secondWorker = await world.addWorker();
  const killAndStart: Readonly<Record<OwnProcess, () => Promise<unknown>>> = {
    async 'api 1'() {
      world.api.kill('SIGKILL');
      return world.restartApi();
    },
    async 'api 2'() {
      secondApi.kill('SIGKILL');
      await secondApi.exited;
      secondApi = await world.addApi(secondPort);
    },
    async 'worker 1'() {
      world.worker?.kill('SIGKILL');
      return world.restartWorker();
    },
    async 'worker 2'() {
      secondWorker.kill('SIGKILL');
      await secondWorker.exited;
      secondWorker = await world.addWorker();
    },
  };
  const lanes = { 'api 1': createLane(), 'api 2': createLane(), 'worker 1': createLane(), 'worker 2': createLane() };
  const processes: Processes = {
    kill(victim, tally) {
      // One that is still being started is dead already: on a busy machine it would otherwise never live.
      if (lanes[victim].isBusy()) return tally.add('kills_of_the_dead');
      tally.add(victim.startsWith('api') ? 'kills_api' : 'kills_worker');
      lanes[victim].add(killAndStart[victim]);
    },
    async finish() {
      for (const lane of Object.values(lanes)) await lane.finish();
    },
  };
  return { processes, urls: [world.api.url, secondApi.url] };
}
