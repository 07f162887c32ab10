import { OperatorError } from '../operator-error.ts';
import { listUnsafeSettings } from './production-rules.ts';
import { readSecretFiles, secretFileVariables } from './secret-files.ts';
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

/** Variables of API clients, such as the SDK. A shell that has them can still run the service and `kelpie-admin`. */
const clientVariables = [
  'KELPIE_URL',
  'KELPIE_BASE_URL',
  'KELPIE_API_KEY',
  'KELPIE_KEY',
  'KELPIE_KEY_B',
  'KELPIE_SLUG',
];

/** A misspelled setting would otherwise be ignored, and its default used. */
function unknownVariables(env: NodeJS.ProcessEnv): string[] {
  const own = Object.values(settings).map((setting) => setting.variable);
  const known = new Set([...own, ...secretFileVariables, ...clientVariables]);
  return Object.keys(env)
    .filter((variable) => variable.startsWith('KELPIE_') && !known.has(variable))
    .map((variable) => `${variable} is not a Kelpie setting. Check its spelling.`);
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
  if (given(settings.liveBankApiKey)?.startsWith('sk-test') === true) {
    problems.push(`${settings.liveBankApiKey.variable} is a test key. Live needs a live key`);
  }
  return problems;
}

export type ChooseSettings<Configuration> = (get: <Value>(setting: Setting<Value>) => Value) => Configuration;

/** What is wrong with the settings that are given, whichever of them a process reads. */
function listProblems(env: NodeJS.ProcessEnv): string[] {
  const mode = read(settings.mode, env);
  const unsafe = mode.kind === 'right' && mode.value === 'development' ? [] : listUnsafeSettings(env);
  return [...unknownVariables(env), ...unsafe, ...bankProblems(env), ...(mode.kind === 'wrong' ? [mode.problem] : [])];
}

/**
 * Reads the settings that a process needs, or throws one error that lists all problems. An invalid setting is replaced by
 * its example until all are read, so that people see every problem at once.
 */
export function readConfiguration<Configuration>(
  env: NodeJS.ProcessEnv,
  choose: ChooseSettings<Configuration>,
): Configuration {
  const { env: whole, problems: ofFiles, unread } = readSecretFiles(env);
  const problems = [...ofFiles, ...listProblems(whole)];
  const configuration = choose((setting) => {
    const outcome = read(setting, whole);
    if (outcome.kind === 'right') return outcome.value;
    if (!unread.has(setting.variable) && !problems.includes(outcome.problem)) problems.push(outcome.problem);
    const example = setting.parse(setting.example);
    if (example === undefined) throw new Error(`the example of ${setting.variable} breaks its own rule`);
    return example;
  });
  if (problems.length > 0) throw new ConfigurationError(problems);
  return configuration;
}

export interface GivenSettings {
  isDevelopment: boolean;
  /** What is wrong with what is given, whatever the mode. */
  problems: string[];
  /** What production refuses. */
  unsafe: string[];
  /** The value of a setting, or null where it is not given, is invalid, or is `none`. */
  find<Value>(setting: Setting<Value>): Value | null;
}

/** For who judges a configuration instead of running by it: nothing is refused. */
export function inspectConfiguration(env: NodeJS.ProcessEnv): GivenSettings {
  const { env: whole, problems: ofFiles } = readSecretFiles(env);
  const invalid = Object.values<Setting<unknown>>(settings).flatMap((setting) => {
    const outcome = read(setting, whole);
    return outcome.kind === 'wrong' && (whole[setting.variable] ?? '') !== '' ? [outcome.problem] : [];
  });
  return {
    isDevelopment: whole[settings.mode.variable] === 'development',
    problems: [...ofFiles, ...unknownVariables(whole), ...bankProblems(whole), ...invalid],
    unsafe: listUnsafeSettings(whole),
    find: (setting) => {
      const outcome = read(setting, whole);
      return outcome.kind === 'right' ? outcome.value : null;
    },
  };
}
