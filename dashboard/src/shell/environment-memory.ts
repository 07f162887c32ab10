import { environmentFrom } from '../data/environment.ts';
import type { Environment } from '../data/kelpie.ts';

const name = 'kelpie-environment';

/** The environment of the last visit; sandbox on the first one. */
export function rememberedEnvironment(): Environment {
  try {
    return environmentFrom(localStorage.getItem(name) ?? undefined) ?? 'sandbox';
  } catch {
    return 'sandbox';
  }
}

export function rememberEnvironment(environment: Environment): void {
  try {
    localStorage.setItem(name, environment);
  } catch {
    // A browser that keeps nothing begins in the sandbox.
  }
}
