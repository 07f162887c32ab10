import { createLogger, type Logger } from '../platform/logging.ts';
import { openPool, type Pool } from '../platform/database/pool.ts';

/** A setting of one of these programs. They are no part of a release, and so of no page of settings. */
export function requiredSetting(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set`);
  return value;
}

export function openLoggerOf(name: string): Logger {
  return createLogger(name, process.env['CELLS_LOG_LEVEL'] ?? 'info');
}

export function openDirectory(logger: Logger, connections: number): Pool {
  const url = requiredSetting('CELLS_DIRECTORY_URL');
  return openPool({ url, connections, applicationName: 'kelpie-cells', logger, pace: 'unhurried' });
}
