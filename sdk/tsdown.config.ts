import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig, type Rolldown } from 'tsdown';

// What a partner imports: for Node, Bun, Deno and browsers alike, and with types for both module systems.
const library = defineConfig({
  entry: ['src/index.ts', 'src/testing.ts'],
  format: ['esm', 'cjs'],
  platform: 'neutral',
  target: 'es2022',
  fixedExtension: false,
  // TypeScript 7 has no API for other tools, so its own program writes the declarations, which are then bundled.
  dts: { generator: 'tsgo' },
  // A package that is bundled here by mistake fails the build.
  deps: { onlyBundle: [] },
});

function licenceIn(folder: string): string {
  const [file = 'LICENSE'] = globSync('{LICEN[CS]E,licen[cs]e}*', { cwd: folder }).toSorted();
  return readFileSync(path.join(folder, file), 'utf8').trim();
}

/** The licences of the libraries that are built in: each asks that its text goes with it. */
const withLicences: Rolldown.Plugin = {
  name: 'with-licences',
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
    const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id) ?? []);
    const texts = [...new Set(folders)].map((folder) => `${path.basename(folder)}\n\n${licenceIn(folder)}\n`);
    this.emitFile({ type: 'asset', fileName: 'cli/LICENSES', source: texts.toSorted().join('\n\n') });
  },
};

// What a partner runs. Its libraries are built in, so that the package has no dependencies.
const command = defineConfig({
  entry: { 'cli/main': 'src/cli/main.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node20',
  fixedExtension: false,
  dts: false,
  deps: { onlyBundle: ['commander', 'csv-parse'] },
  plugins: [withLicences],
});

export default [library, command];
