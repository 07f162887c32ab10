import { findViolations } from '../harness/invariants.ts';
import { untilQuiet } from '../harness/waits.ts';
import { createAttempts, type Attack } from './attempts.ts';
import type { Stage } from './stage.ts';

interface RunResult {
  attacks: number;
  /** Attacks of which at least one attempt succeeded. */
  through: number;
  /** Broken invariants afterwards, and attacks that could not be carried out. */
  violations: number;
}

interface Tried {
  tried: number;
  through: readonly string[];
  /** Why it could not be carried out: then nothing is known. */
  failure?: string;
}

export async function runAttack(stage: Stage, attack: Attack): Promise<Tried> {
  const attempts = createAttempts();
  try {
    await attack.run(stage, attempts);
    if (attempts.tried() === 0) throw new Error('nothing was tried');
    return { tried: attempts.tried(), through: attempts.through() };
  } catch (error) {
    const failure = (error instanceof Error && error.stack) || 'unknown';
    return { tried: attempts.tried(), through: attempts.through(), failure };
  }
}

function report({ name, tries }: Attack, { tried, through, failure }: Tried): string[] {
  const said = failure === undefined ? (through.length === 0 ? 'no' : 'yes') : 'unknown';
  return [
    `${name}: ${tries}; tried ${tried}, through: ${said}`,
    ...through.slice(0, 5).map((what) => `  THROUGH ${what}`),
    ...(failure === undefined ? [] : [`  FAILED ${failure}`]),
  ];
}

/** All of them, one after the other, on one stage; then the invariants. */
export async function runAttacks(
  stage: Stage,
  attacks: readonly Attack[],
  say: (line: string) => void,
): Promise<RunResult> {
  let through = 0;
  const violations: string[] = [];
  for (const attack of attacks) {
    const outcome = await runAttack(stage, attack);
    for (const line of report(attack, outcome)) say(line);
    if (outcome.through.length > 0) through += 1;
    if (outcome.failure !== undefined) violations.push(`${attack.name} could not be carried out`);
  }
  await untilQuiet(stage.world.database, { timeoutMs: 60_000 });
  violations.push(...(await findViolations(stage.world)));
  for (const violation of violations) say(`VIOLATION ${violation}`);
  return { attacks: attacks.length, through, violations: violations.length };
}
