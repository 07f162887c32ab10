import { describeError, type Logger } from '../../platform/logging.ts';
import { OperatorError } from '../../platform/operator-error.ts';

const unreachable = 'The database or the address to listen on cannot be reached. Check the settings that name them.';
const loginRefused = 'The database refused the login. Check the address, role and password.';
const cannotListen =
  'The address to listen on is in use, or does not belong to this machine. Check the host and port settings.';

/** Advice for the errors that are common at start-up. */
export const hints = new Map([
  ['ECONNREFUSED', unreachable],
  ['ENOTFOUND', unreachable],
  ['EAI_AGAIN', unreachable],
  ['ETIMEDOUT', unreachable],
  ['28P01', loginRefused],
  ['28000', loginRefused],
  ['3D000', loginRefused],
  ['EADDRINUSE', cannotListen],
  ['EADDRNOTAVAIL', cannotListen],
]);

/** Logs an uncaught error, and prints a sentence for the person who started the process. */
export function explainLastError(logger: Logger): void {
  const end = (error: unknown): void => {
    if (error instanceof OperatorError) {
      process.stderr.write(`${error.message}\n`);
      process.exit(error.exitCode);
    }
    logger.fatal({ error }, 'process.failed');
    const { name, code } = describeError(error);
    const what = [name, code].filter((part) => part !== undefined).join(' ');
    process.stderr.write(`Kelpie stopped: ${what}. ${hints.get(code ?? '') ?? 'The log has the stack trace.'}\n`);
    process.exit(1);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}
