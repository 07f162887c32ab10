import path from 'node:path';
import { projectFolder } from './project.ts';

/** What tests start again and again. */
export const programs = [
  'service/src/app/api.ts',
  'service/src/app/worker.ts',
  'service/src/app/cli.ts',
  'service/test/programs/command-host.ts',
  'sandbox-bank/src/main.ts',
];

export const builtFolder = path.join(projectFolder, '.dev/programs');

/** Where this is set, our programs run as they were built, and not from their sources. */
export const useBuiltPrograms = { BUILT_PROGRAMS: 'yes' };

export function builtName(file: string): string {
  return file.replaceAll('/', '-').replace(/\.ts$/, '');
}

/** What to run for one of the project's files. */
export function programFor(file: string): string {
  const isBuilt = process.env['BUILT_PROGRAMS'] === 'yes' && programs.includes(file);
  return isBuilt ? path.join(builtFolder, `${builtName(file)}.js`) : file;
}
