import { describeError, type Logger } from '../../platform/logging.ts';
import { OperatorError } from '../../platform/operator-error.ts';

const unreachable = 'The database, or an address to listen on, can not be reached: check the settings that name one.';
const notLetIn = 'The database does not let this role in: check its address, role and password.';
const cannotListen = 'The address to listen on is taken, or is not of this machine: check the host and port settings.';

/** What to look at, for the errors that a person who starts a process meets. */
export const hints = new Map([
  ['ECONNREFUSED', unreachable],
  ['ENOTFOUND', unreachable],
  ['EAI_AGAIN', unreachable],
  ['ETIMEDOUT', unreachable],
  ['28P01', notLetIn],
  ['28000', notLetIn],
  ['3D000', notLetIn],
  ['EADDRINUSE', cannotListen],
  ['EADDRNOTAVAIL', cannotListen],
]);

/** What nobody caught: a line in the log's own form, and a sentence for the person who started the process. */
export function explainLastError(logger: Logger): void {
  const end = (error: unknown): void => {
    if (error instanceof OperatorError) {
      process.stderr.write(`${error.message}\n`);
      process.exit(error.exitCode);
    }
    logger.fatal({ error }, 'process.failed');
    const { name, code } = describeError(error);
    const what = [name, code].filter((part) => part !== undefined).join(' ');
    process.stderr.write(
      `Kelpie stopped because of ${what}. ${hints.get(code ?? '') ?? 'The log line says where in the code.'}\n`,
    );
    process.exit(1);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}
