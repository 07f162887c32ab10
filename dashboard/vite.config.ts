import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Where `npm run dev` has its api. */
const api = process.env['KELPIE_DEV_API_URL'] ?? 'http://127.0.0.1:4000';

/** A font is compressed already. */
const compressible = /\.(html|js|css|svg)$/;

async function compressFile(file: string): Promise<void> {
  const plain = await readFile(file);
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
  await writeFile(`${file}.br`, await promisify(brotliCompress)(plain, { params }));
  await writeFile(`${file}.gz`, await promisify(gzip)(plain, { level: 9 }));
}

/** Leaves a smaller form beside each file, as small as it gets: it is made once, and served for ever. */
function compressFiles(): Plugin {
  let folder = '';
  return {
    name: 'compress-files',
    apply: 'build',
    configResolved({ root, build }) {
      folder = path.resolve(root, build.outDir);
    },
    async closeBundle() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries
        .filter(({ name }) => compressible.test(name))
        .map((entry) => path.join(entry.parentPath, entry.name));
      await Promise.all(files.map(compressFile));
    },
  };
}

export default defineConfig({
  base: '/dashboard/',
  plugins: [react(), tailwind(), compressFiles()],
  build: {
    target: 'es2023',
    // A data: address would have to be allowed by the policy that the pages are served with.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    host: '127.0.0.1',
    strictPort: true,
    proxy: {
      // The api is told that the dashboard is here (KELPIE_DASHBOARD_URL), and believes its pages.
      '^/(v1|docs)(/|$)': { target: api },
    },
  },
});
