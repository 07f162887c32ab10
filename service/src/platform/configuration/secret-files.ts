import { readFileSync, statSync } from 'node:fs';
import { settings, type Setting } from './settings.ts';

const suffix = '_FILE';
/** More than any secret: another file was named by mistake. */
const longestBytes = 64 * 1024;

export const secretVariables: readonly string[] = Object.values<Setting<unknown>>(settings)
  .filter(({ secret }) => secret === true)
  .map(({ variable }) => variable);

/** The variables that name the file of a secret. */
export const secretFileVariables: readonly string[] = secretVariables.map((variable) => `${variable}${suffix}`);

type FileText = { kind: 'read'; text: string } | { kind: 'unreadable'; why: string };

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown reason';
}

/** A pipe would make the process wait for its writer. */
function readSecret(file: string): FileText {
  try {
    const { size } = statSync(file);
    if (!statSync(file).isFile()) return { kind: 'unreadable', why: 'not a regular file' };
    if (size > longestBytes) return { kind: 'unreadable', why: 'too long for a secret' };
    const text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    return text === '' ? { kind: 'unreadable', why: 'empty' } : { kind: 'read', text };
  } catch (error) {
    return { kind: 'unreadable', why: codeOf(error) };
  }
}

export interface WithSecrets {
  /** With the secrets that were in files, under their own names. */
  env: NodeJS.ProcessEnv;
  problems: string[];
  /** Secrets whose file is wrong. */
  unread: ReadonlySet<string>;
}

/**
 * Reads each secret that is given as a file. A problem names the variable only: what stands in it may be the secret itself,
 * by mistake.
 */
export function readSecretFiles(env: NodeJS.ProcessEnv): WithSecrets {
  const whole = { ...env };
  const problems: string[] = [];
  const unread = new Set<string>();
  const refuse = (variable: string, problem: string): void => {
    problems.push(problem);
    unread.add(variable);
  };
  for (const variable of secretVariables) {
    const named = `${variable}${suffix}`;
    const file = env[named] ?? '';
    if (file === '') continue;
    if ((env[variable] ?? '') !== '') {
      refuse(variable, `${variable} and ${named} are both set. Set one of them`);
      continue;
    }
    const found = readSecret(file);
    if (found.kind === 'read') whole[variable] = found.text;
    else
      refuse(variable, `${named} cannot be read (${found.why}). It must be the path of a file with the secret alone`);
  }
  return { env: whole, problems, unread };
}
