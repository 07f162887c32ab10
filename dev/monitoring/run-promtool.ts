import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ruleFiles } from './files.ts';
import { healthySeries } from './healthy-series.ts';
import type { RuleCase } from './rule-cases.ts';

const run = promisify(execFile);

/** What it printed, or what it printed as it failed. */
export async function runProgram(
  program: 'promtool' | 'amtool',
  args: readonly string[],
): Promise<{ ok: boolean; output: string }> {
  try {
    const { stdout, stderr } = await run(`/usr/bin/${program}`, args, { timeout: 230_000, maxBuffer: 16 * 1024 ** 2 });
    return { ok: true, output: stdout + stderr };
  } catch (error) {
    const printed = (name: string): string =>
      error instanceof Error && name in error ? String(Reflect.get(error, name)) : '';
    return { ok: false, output: `${printed('stdout')}${printed('stderr')}` || String(error) };
  }
}

const seconds = (minutes: number): string => `${minutes * 60}s`;

const sent = 'ALERTS{alertstate="firing",severity!~"heartbeat|none"}';

function samples(names: readonly string[], label: string): object[] {
  return names.map((each) => ({ labels: `{${label}="${each}"}`, value: 1 }));
}

/** One entry of promtool's `tests`. All that fires must be what the case says, so it also says what does not. */
function describeCase({ alert, name, series, firing, explained, step = '15s' }: RuleCase): object {
  return {
    name: `${alert}: ${name}`,
    interval: step,
    input_series: Object.entries({ ...healthySeries(step), ...series }).map(([each, values]) => ({
      series: each,
      values,
    })),
    promql_expr_test: [
      ...firing.map(([minutes, alerts]) => ({
        expr: `group by (alertname) (${sent})`,
        eval_time: seconds(minutes),
        exp_samples: samples(alerts, 'alertname'),
      })),
      ...(explained === undefined
        ? []
        : [
            {
              expr: 'group by (objective) (ALERTS{alertstate="firing",alertname="BudgetExplained",speed="fast"})',
              eval_time: seconds(explained[0]),
              exp_samples: samples(explained[1], 'objective'),
            },
          ]),
    ],
  };
}

/** The objectives read days of data at each step: a case that is not about them runs without. */
function rulesFor({ alert, explained }: RuleCase): readonly string[] {
  const isAboutObjectives = explained !== undefined || /Burn|Watchdog/.test(alert);
  return ruleFiles.filter((file) => isAboutObjectives || path.basename(file) !== 'objectives.yml');
}

/** `promtool test rules` of these cases, each with its own step. */
export async function testRules(cases: readonly RuleCase[]): Promise<{ ok: boolean; output: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kelpie-promtool-'));
  const together = Map.groupBy(cases, (each) => `${each.step} ${rulesFor(each).length}`);
  try {
    const files = await Promise.all(
      Array.from(together.values(), async ([first, ...others], at) => {
        if (first === undefined) throw new Error('no case');
        const file = path.join(folder, `${at}.yml`);
        // JSON is YAML.
        const text = {
          rule_files: rulesFor(first),
          evaluation_interval: first.step ?? '15s',
          tests: [first, ...others].map(describeCase),
        };
        await writeFile(file, JSON.stringify(text, undefined, 1));
        return file;
      }),
    );
    return await runProgram('promtool', ['test', 'rules', ...files]);
  } finally {
    await rm(folder, { recursive: true });
  }
}
