import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { CommandError } from '../command-error.ts';
import { addHelp } from '../help.ts';
import { withJson, type JsonOption } from '../option-values.ts';
import { print, visible } from '../printing.ts';
import { assertEncrypted, connectKelpie, parseApiKey, parseBaseUrl, storeCredentials } from '../settings.ts';

/** What is typed is not shown. */
async function askHidden(question: string): Promise<string> {
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve);
      lines.once('SIGINT', () => reject(new CommandError('interrupted', 'interrupted', 'Nothing was stored.')));
      lines.once('close', () => resolve(''));
    });
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}

async function readKey(): Promise<string> {
  const key = process.stdin.isTTY ? await askHidden('API key: ') : await text(process.stdin);
  return key.trim();
}

/** A key that does not work is not stored. */
async function configure({ json, baseUrl }: JsonOption & { baseUrl?: string }): Promise<void> {
  const address = baseUrl ?? process.env['KELPIE_BASE_URL'] ?? '';
  if (address === '')
    throw new CommandError('usage', 'usage', 'Pass the address that you were given with --base-url, without /v1.');
  const parsed = { baseUrl: parseBaseUrl(address), ...parseApiKey(await readKey()) };
  assertEncrypted(parsed);
  const { name, environment } = await connectKelpie(parsed).account.get();
  const file = storeCredentials(parsed, process.env);
  const sentence = `The ${environment} key of ${visible(name)} works. It is stored in ${file}, which only you can read.\n`;
  print(json, { account: name, environment, base_url: parsed.baseUrl, file }, sentence);
}

export function addConfigureCommand(program: Command): void {
  const command = withJson(program.command('configure'))
    .description(
      'Check an API key and store it in a file that only you can read. The key is read from standard input, never from the command line.',
    )
    .option('--base-url <url>', 'the address that you were given, without /v1; KELPIE_BASE_URL by default')
    .action(configure);
  addHelp(command, {
    examples: ['kelpie configure --base-url https://api.kelpie.example'],
    prints: 'The name of the account, and where the key is stored.',
  });
}
