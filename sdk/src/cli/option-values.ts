// Options that several commands have, and how their values are read.
import { InvalidArgumentError, type Command } from 'commander';

export interface JsonOption {
  json: boolean;
}

export interface WaitOptions {
  wait: boolean;
  timeout: number;
}

export function withJson(command: Command): Command {
  return command.option('--json', 'print JSON', false);
}

export function withWait(command: Command): Command {
  return command
    .option('--wait', 'wait until the payout is completed, failed, cancelled or returned', false)
    .option('--timeout <seconds>', 'how long to wait', wholeNumber(1, 3_600), 120);
}

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Use a whole number from ${least} to ${most}.`);
  };
}

/** Every list is bounded. */
export function withLimit(command: Command): Command {
  return command.option('--limit <rows>', 'maximum number of rows', wholeNumber(1, 200), 50);
}

export function instant(text: string): Date {
  const at = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(at.getTime()))
    throw new InvalidArgumentError('Use a date or time such as 2026-11-18 or 2026-11-18T09:30:00Z.');
  return at;
}

export function idempotencyKey(text: string): string {
  if (!idempotencyKeyForm.test(text))
    throw new InvalidArgumentError('Use 8 to 100 letters, digits, "_", "-", ":" and ".".');
  return text;
}

export const idempotencyKeyForm = /^[A-Za-z0-9_\-:.]{8,100}$/;
