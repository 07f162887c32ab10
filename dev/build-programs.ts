import { rm } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { builtFolder, builtName, programs } from './built-programs.ts';
import { projectFolder } from './project.ts';

/**
 * Each of our programs in a few files in place of 1,500: to find and read those is most of what a start costs, and tests
 * start hundreds.
 */
export async function buildPrograms(): Promise<void> {
  const bundle = await rolldown({
    cwd: projectFolder,
    input: Object.fromEntries(programs.map((file) => [builtName(file), file])),
    platform: 'node',
    // The driver looks for it only where it is asked to.
    external: ['pg-native'],
    // A file that reads its neighbours finds them where it was written.
    plugins: [
      {
        name: 'own-place',
        transform: (code, id) => code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
      },
    ],
    logLevel: 'warn',
  });
  await rm(builtFolder, { recursive: true, force: true });
  await bundle.write({ dir: builtFolder, format: 'esm' });
  await bundle.close();
}
