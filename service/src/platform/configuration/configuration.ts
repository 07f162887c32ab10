import { OperatorError } from '../operator-error.ts';
import { settings, type Setting } from './settings.ts';

/** Exit code for invalid settings. */
export const configurationExitCode = 78;

/** Its message is for the person who started the process. */
export class ConfigurationError extends OperatorError {
  override readonly name = 'ConfigurationError';
  override readonly exitCode = configurationExitCode;

  constructor(problems: readonly string[]) {
    super(`${problems.join('\n')}\ndocs/configuration.md describes every setting.`, 'settings_wrong');
  }
}

type Outcome<Value> = { kind: 'right'; value: Value } | { kind: 'wrong'; problem: string };

function read<Value>(setting: Setting<Value>, env: NodeJS.ProcessEnv): Outcome<Value> {
  const given = env[setting.variable];
  const text = given === undefined || given === '' ? setting.fallback : given;
  const remedy = `It must be ${setting.rule}, for example ${setting.variable}=${setting.example}`;
  if (text === undefined) return { kind: 'wrong', problem: `${setting.variable} is not set. ${remedy}` };
  const value = setting.parse(text);
  if (value !== undefined) return { kind: 'right', value };
  const shown = setting.secret ? 'is invalid' : `is ${JSON.stringify(text)}`;
  return { kind: 'wrong', problem: `${setting.variable} ${shown}. ${remedy}` };
}

/** Variables of API clients, such as the SDK's examples. A shell that has them can still run the service and `kelpie-admin`. */
const clientVariables = ['KELPIE_URL', 'KELPIE_API_KEY', 'KELPIE_KEY', 'KELPIE_KEY_B', 'KELPIE_SLUG'];

/** A misspelled setting would otherwise be ignored, and its default used. */
function unknownVariables(env: NodeJS.ProcessEnv): string[] {
  const known = new Set([...Object.values(settings).map((setting) => setting.variable), ...clientVariables]);
  return Object.keys(env)
    .filter((variable) => variable.startsWith('KELPIE_') && !known.has(variable))
    .map((variable) => `${variable} is not a Kelpie setting. Check its spelling.`);
}

function developmentOnly(env: NodeJS.ProcessEnv): string[] {
  if (env[settings.mode.variable] === 'development') return [];
  const problems: string[] = [];
  for (const { variable } of [settings.publicUrl, settings.dashboardUrl]) {
    if (URL.parse(env[variable] ?? '')?.protocol === 'http:') {
      problems.push(`${variable} starts with http://. In production it must start with https://`);
    }
  }
  if (env[settings.testClockFile.variable]?.startsWith('/') === true) {
    problems.push(`${settings.testClockFile.variable} is set. It works only with KELPIE_MODE=development`);
  }
  for (const { variable } of [settings.testFailpoint, settings.egressAllow]) {
    if (['', 'none', undefined].includes(env[variable])) continue;
    problems.push(`${variable} is set. It works only with KELPIE_MODE=development`);
  }
  return problems;
}

/** A key needs its address, and live must not use a sandbox: test money must never count as real. */
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
      problems.push(`Set both ${url.variable} and ${apiKey.variable}, or neither`);
    }
  }
  const liveUrl = given(settings.liveBankUrl) ?? '';
  if (/sandbox/i.test(URL.parse(liveUrl)?.hostname ?? '')) {
    problems.push(`${settings.liveBankUrl.variable} is a sandbox address. Live needs the live bank`);
  }
  if (env[settings.mode.variable] !== 'development' && liveUrl.startsWith('http:')) {
    problems.push(`${settings.liveBankUrl.variable} starts with http://. In production it must start with https://`);
  }
  if (given(settings.liveBankApiKey)?.startsWith('sk-test') === true) {
    problems.push(`${settings.liveBankApiKey.variable} is a test key. Live needs a live key`);
  }
  return problems;
}

export type ChooseSettings<Configuration> = (get: <Value>(setting: Setting<Value>) => Value) => Configuration;

/**
 * Reads the settings that a process needs, or throws one error that lists all problems. An invalid setting is replaced by
 * its example until all are read, so that people see every problem at once.
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
