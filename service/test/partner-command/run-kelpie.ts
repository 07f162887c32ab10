// Starts `kelpie`, the partners' command, as a partner would: with a key, an address and a home of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { startChild, type Child } from '@kelpie/dev/child-process.ts';

export interface Desk {
  /** An empty folder for files. */
  folder: string;
  start(...args: string[]): Child;
  run(...args: string[]): Promise<KelpieOutcome>;
}

interface KelpieOutcome {
  code: number | null;
  /** Standard output as JSON; undefined where it is none. */
  json: unknown;
  printed: string;
  /** Standard output and standard error. */
  output: string;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A partner's machine. Each has its own credentials and state. */
export function createDesk({ url, key }: { url: string; key: string }): Desk {
  const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-desk-'));
  after(() => rmSync(folder, { recursive: true }));
  const env = {
    KELPIE_API_KEY: key,
    KELPIE_BASE_URL: url,
    XDG_CONFIG_HOME: path.join(folder, '.config'),
    XDG_STATE_HOME: path.join(folder, '.state'),
  };
  const start = (...args: string[]): Child => startChild({ name: 'kelpie', file: 'sdk/src/cli/main.ts', args, env });
  return {
    folder,
    start,
    async run(...args) {
      const child = start(...args);
      const { code } = await child.exited;
      return { code, json: parsed(child.printed()), printed: child.printed(), output: child.output() };
    },
  };
}
