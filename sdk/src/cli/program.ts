// The `kelpie` program with all of its commands.
import { Command, Help } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { addBalanceCommand } from './commands/balance.ts';
import { addConfigureCommand } from './commands/configure.ts';
import { addEventsCommand } from './commands/events.ts';
import { addListenCommand } from './commands/listen.ts';
import { addLogCommands } from './commands/logs.ts';
import { addPayoutCommands } from './commands/payouts.ts';
import { addSandboxCommands } from './commands/sandbox.ts';
import { addTriggerCommand } from './commands/trigger.ts';

const overview = `
Commands print text. Add --json for JSON: one document, or one per line where a
command goes on.

Start here:
  kelpie configure --base-url https://api.kelpie.example
  kelpie balance
  kelpie payouts create --file order.json --wait
  kelpie listen --forward http://localhost:3000/hooks
  kelpie trigger payout.returned

The API key is read from KELPIE_API_KEY, and the address from KELPIE_BASE_URL.
What is not set is read from the file that \`kelpie configure\` writes.

Exit codes:
  0    done
  1    a payout failed, or rows were refused
  2    refused; nothing changed
  64   the command line is invalid
  65   a file is invalid; nothing was sent
  69   Kelpie is unavailable or busy; retry
  70   a bug
  75   not finished, or the outcome is unknown: run the same command again
  78   the API key or the address is missing or wrong
  130  interrupted by Ctrl-C`;

const plainHelp = new Help();

/** With --json, Commander's own messages are silenced: the error is printed as JSON. */
export function createProgram({ json }: { json: boolean }): Command {
  const program = new Command('kelpie')
    .description('Send payouts with Kelpie, and test your integration.')
    .version(manifest.version)
    .exitOverride()
    .showHelpAfterError('Run `kelpie --help` for details.')
    // A switch is off by default; saying so is noise.
    .configureHelp({
      optionDescription: (option) => plainHelp.optionDescription(option).replace(/ ?\(default: false\)/, ''),
    })
    .addHelpText('after', overview);
  if (json) program.configureOutput({ writeErr: () => undefined });
  addConfigureCommand(program);
  addPayoutCommands(program);
  addBalanceCommand(program);
  addEventsCommand(program);
  addListenCommand(program);
  addLogCommands(program);
  addTriggerCommand(program);
  addSandboxCommands(program);
  return program;
}
