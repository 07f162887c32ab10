import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { textAt } from '../json.ts';
import { projectFolder } from '../project.ts';

/** A registry that has nothing but the packed SDK, so that `npm install @kelpie/sdk` installs that. */
export interface Registry {
  /** What npm needs in its environment. */
  env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function startRegistry(packed: string): Promise<Registry> {
  const file = readFileSync(packed);
  const manifest: unknown = JSON.parse(readFileSync(path.join(projectFolder, 'sdk/package.json'), 'utf8'));
  const [name, version] = [textAt(manifest, 'name'), textAt(manifest, 'version')];
  const integrity = `sha512-${createHash('sha512').update(file).digest('base64')}`;
  let url = '';
  const server = createServer((request, response) => {
    if (request.url?.endsWith('.tgz')) {
      response.end(file);
      return;
    }
    // `bin` is part of what a registry says of a version; the rest npm reads from the package.
    const dist = { tarball: `${url}/kelpie-sdk.tgz`, integrity };
    const versions = { [version]: { name, version, dist, bin: { kelpie: 'dist/cli/main.js' } } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the registry has no port');
  url = `http://127.0.0.1:${address.port}`;
  return {
    env: { 'npm_config_@kelpie:registry': `${url}/`, npm_config_update_notifier: 'false', npm_config_fund: 'false' },
    close: async () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
