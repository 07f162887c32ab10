// Values of options that several commands read.
import path from 'node:path';
import { InvalidArgumentError } from 'commander';

export function absolutePath(text: string): string {
  if (!path.isAbsolute(text)) throw new InvalidArgumentError('Use an absolute path.');
  return path.resolve(text);
}

export function plainName(text: string): string {
  if (!/^[A-Za-z0-9_-]{1,63}$/.test(text))
    throw new InvalidArgumentError('Use 1 to 63 letters, digits, hyphens and underscores.');
  return text;
}
