import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { after } from 'node:test';
import { programFor } from '@kelpie/dev/built-programs.ts';
import { projectFolder } from '@kelpie/dev/project.ts';
import { watchLine } from './canaries/log-watch.ts';

export interface CommandRequest {
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

export interface CommandOutcome {
  code: number | null;
  /** What it wrote to standard output and standard error. */
  output: string;
  /** What it wrote to its standard output alone. */
  printed: string;
}

const idle: ChildProcess[] = [];
const all: ChildProcess[] = [];
// Outside a test, as in a simulation, `after` would have the runner print a summary of no tests; idle hosts end with us there.
if (process.env['NODE_TEST_CONTEXT'] !== undefined) {
  after(() => {
    for (const host of all) if (host.connected) host.disconnect();
  });
}

/** A host that nobody uses does not keep this process alive. */
function keepAlive(host: ChildProcess, isUsed: boolean): void {
  const verb = isUsed ? 'ref' : 'unref';
  host[verb]();
  host.channel?.[verb]();
}

function startHost(): ChildProcess {
  const host = spawn(process.execPath, [programFor('service/test/programs/command-host.ts')], {
    cwd: projectFolder,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  all.push(host);
  return host;
}

function isOutcome(message: unknown): message is CommandOutcome {
  return typeof message === 'object' && message !== null && 'printed' in message;
}

/**
 * The operator's command, in a process that is used for one command after the other. Two at once are in two processes.
 * What is to be killed, or watched while it runs, is started by `startChild`.
 */
export async function runCommand(request: CommandRequest): Promise<CommandOutcome> {
  const host = idle.pop() ?? startHost();
  keepAlive(host, true);
  const over = new AbortController();
  const { signal } = over;
  const ended = once(host, 'exit', { signal }).then(() => [undefined]);
  ended.catch(() => undefined);
  const answered = once(host, 'message', { signal });
  host.send(request);
  const [outcome]: unknown[] = await Promise.race([answered, ended]).finally(() => over.abort());
  if (!isOutcome(outcome)) throw new Error(`the process of kelpie-admin ${request.args.join(' ')} ended`);
  keepAlive(host, false);
  idle.push(host);
  const child = { name: 'kelpie-admin', file: 'service/src/app/cli.ts', env: request.env };
  for (const line of outcome.output.split('\n')) watchLine(child, line);
  return outcome;
}
