import { OperatorError } from '../operator-error.ts';
import { settings, type Setting } from './settings.ts';

/** What a process ends with where its settings are wrong. */
export const configurationExitCode = 78;

/** The settings that a process was started with are wrong. Its message is written for the person who started it. */
export class ConfigurationError extends OperatorError {
  override readonly name = 'ConfigurationError';
  override readonly exitCode = configurationExitCode;

  constructor(problems: readonly string[]) {
    super(`${problems.join('\n')}\nEvery setting is described in docs/configuration.md.`, 'settings_wrong');
  }
}

type Outcome<Value> = { kind: 'right'; value: Value } | { kind: 'wrong'; problem: string };

function read<Value>(setting: Setting<Value>, env: NodeJS.ProcessEnv): Outcome<Value> {
  const given = env[setting.variable];
  const text = given === undefined || given === '' ? setting.fallback : given;
  const remedy = `it must be ${setting.rule}, for example ${setting.variable}=${setting.example}`;
  if (text === undefined) return { kind: 'wrong', problem: `${setting.variable} is not set: ${remedy}` };
  const value = setting.parse(text);
  if (value !== undefined) return { kind: 'right', value };
  const shown = setting.secret ? 'is not right' : `is ${JSON.stringify(text)}`;
  return { kind: 'wrong', problem: `${setting.variable} ${shown}: ${remedy}` };
}

/** A misspelt variable would otherwise be a default taken in silence. */
function unknownVariables(env: NodeJS.ProcessEnv): string[] {
  const known = new Set(Object.values(settings).map((setting) => setting.variable));
  return Object.keys(env)
    .filter((variable) => variable.startsWith('KELPIE_') && !known.has(variable))
    .map((variable) => `${variable} is not a setting that Kelpie knows: is it misspelt?`);
}

function developmentOnly(env: NodeJS.ProcessEnv): string[] {
  if (env[settings.mode.variable] === 'development') return [];
  const problems: string[] = [];
  for (const { variable } of [settings.publicUrl, settings.dashboardUrl]) {
    if (URL.parse(env[variable] ?? '')?.protocol === 'http:') {
      problems.push(`${variable} starts with http: in production it must start with https://`);
    }
  }
  if (env[settings.testClockFile.variable]?.startsWith('/') === true) {
    problems.push(`${settings.testClockFile.variable} is set: only KELPIE_MODE=development may move the clock`);
  }
  if (!['', 'none', undefined].includes(env[settings.testFailpoint.variable])) {
    problems.push(`${settings.testFailpoint.variable} is set: only KELPIE_MODE=development may crash on purpose`);
  }
  return problems;
}

/** A key without an address serves nothing, and test money must never be taken for real money. */
function bankProblems(env: NodeJS.ProcessEnv): string[] {
  const problems: string[] = [];
  const given = (setting: Setting<unknown>): string | undefined => {
    const text = env[setting.variable];
    return text === '' || text === 'none' ? undefined : text;
  };
  for (const [url, apiKey] of [
    [settings.sandboxBankUrl, settings.sandboxBankApiKey],
    [settings.liveBankUrl, settings.liveBankApiKey],
  ] as const) {
    if ((given(url) === undefined) !== (given(apiKey) === undefined)) {
      problems.push(`${url.variable} and ${apiKey.variable} go together: set both, or neither`);
    }
  }
  const liveUrl = given(settings.liveBankUrl) ?? '';
  if (/sandbox/i.test(URL.parse(liveUrl)?.hostname ?? '')) {
    problems.push(`${settings.liveBankUrl.variable} names a sandbox: real money goes by the bank itself`);
  }
  if (env[settings.mode.variable] !== 'development' && liveUrl.startsWith('http:')) {
    problems.push(`${settings.liveBankUrl.variable} starts with http: in production it must start with https://`);
  }
  if (given(settings.liveBankApiKey)?.startsWith('sk-test') === true) {
    problems.push(`${settings.liveBankApiKey.variable} is a key for testing: real money needs a real one`);
  }
  return problems;
}

export type ChooseSettings<Configuration> = (get: <Value>(setting: Setting<Value>) => Value) => Configuration;

/**
 * Reads the settings that a process asks for, or throws one error that lists everything that is wrong with them.
 * A wrong setting stands in as its example until all were read, so that a person mends them in one go.
 */
export function readConfiguration<Configuration>(
  env: NodeJS.ProcessEnv,
  choose: ChooseSettings<Configuration>,
): Configuration {
  const mode = read(settings.mode, env);
  const problems = [
    ...unknownVariables(env),
    ...developmentOnly(env),
    ...bankProblems(env),
    ...(mode.kind === 'wrong' ? [mode.problem] : []),
  ];
  const configuration = choose((setting) => {
    const outcome = read(setting, env);
    if (outcome.kind === 'right') return outcome.value;
    if (!problems.includes(outcome.problem)) problems.push(outcome.problem);
    const example = setting.parse(setting.example);
    if (example === undefined) throw new Error(`the example of ${setting.variable} breaks its own rule`);
    return example;
  });
  if (problems.length > 0) throw new ConfigurationError(problems);
  return configuration;
}
