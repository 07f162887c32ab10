import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { rolldown } from 'rolldown';
import manifest from '../../package.json' with { type: 'json' };
import { projectFolder } from '../project.ts';
import { ReleaseError, type Release } from './release.ts';

/** The folder of the programs, below that of a release. */
const programFolder = 'programs';

/**
 * Where a source would be if it were installed: it finds the files beside it there. The chunk's own `import.meta.url` says where
 * the release is.
 */
function installedPlace(id: string): string {
  const place = path.relative(projectFolder, id);
  return `new URL(${JSON.stringify(place)}, new URL('../', import.meta.url)).href`;
}

/** What a source says of itself becomes true of the release: where it is, and which version it belongs to. */
function asReleased(code: string, id: string, { version }: Release): string | null {
  // The bundler's own modules have no place in the project.
  if (id.startsWith('\0')) return null;
  if (id === path.join(projectFolder, 'package.json')) return JSON.stringify({ ...manifest, version });
  return code.replaceAll('import.meta.url', installedPlace(id));
}

/** One file that needs no other to be loaded later: the package may be replaced by then. */
async function bundleProgram(file: string, target: string, release: Release): Promise<void> {
  const bundle = await rolldown({
    cwd: projectFolder,
    input: file,
    platform: 'node',
    // The driver looks for it only where it is asked to.
    external: ['pg-native'],
    transform: { define: { KELPIE_COMMIT: JSON.stringify(release.commit) } },
    plugins: [{ name: 'as-released', transform: (code, id) => asReleased(code, id, release) }],
    // Above all an import that is not installed: it would be missing on every other machine, too.
    onLog: (level, { message }) => {
      if (level === 'warn') throw new ReleaseError(`${file} cannot be bundled: ${message}`);
    },
  });
  await bundle.write({ file: target, format: 'esm', codeSplitting: false });
  await bundle.close();
}

interface Bundled {
  programs: Readonly<Record<string, string>>;
  files: Readonly<Record<string, readonly string[]>>;
}

/** Writes programs, and the files that they read, into a folder that works wherever it is moved to. */
export async function writeBundle(folder: string, release: Release, { programs, files }: Bundled): Promise<void> {
  await mkdir(path.join(folder, programFolder), { recursive: true });
  for (const [name, file] of Object.entries(programs))
    await bundleProgram(file, path.join(folder, programFolder, `${name}.mjs`), release);
  for (const file of Object.values(files).flat())
    await cp(path.join(projectFolder, file), path.join(folder, file), { recursive: true, dereference: true });
}
