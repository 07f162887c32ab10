import { ApiError } from '../../platform/api-error.ts';
import { nothingHere } from '../errors/errors.ts';
import type { LimitHook } from '../limits/rate-limit.ts';
import type { Server } from '../server.ts';
import { docsHeaders, docsPolicy } from './docs-policy.ts';
import { createSharedFile, readBodies, sendFile, type Bodies } from './static-files.ts';

// The docs for partners: pages that were built before (npm run docs:build), with the addresses of this installation.

const prefix = '/docs/';

/** A page may ask for nothing but what tells crawlers about it: tools that judge pages read that from within. */
function pagePolicy(publicUrl: string): string {
  return docsPolicy([`script-src 'self'`, `style-src 'self'`, `connect-src ${publicUrl}/robots.txt`]);
}

/** The docs may be found by search; the API and the dashboard have nothing to be found. */
const robots = 'User-agent: *\nAllow: /docs\nAllow: /llms.txt\nDisallow: /\n';

interface DocsDeps {
  folder: string;
  publicUrl: string;
  supportEmail: string;
  limitOpen: LimitHook;
}

/** What the sources have in place of our addresses. */
function ownAddresses(text: string, { publicUrl, supportEmail }: DocsDeps): string {
  return text.replaceAll('https://api.kelpie.example', publicUrl).replaceAll('support@kelpie.example', supportEmail);
}

/** `quickstart` is a page, `quickstart.md` its source. */
function nameFor(address: string): string {
  if (address === '') return 'index.html';
  return address.includes('.') ? address : `${address}.html`;
}

/** Each written with our addresses when first asked for. */
function openFiles(bodies: Bodies, deps: DocsDeps): ReadonlyMap<string, ReturnType<typeof createSharedFile>> {
  return new Map(
    [...bodies].map(([name, built]) => [
      name,
      createSharedFile(name, async () => Promise.resolve(Buffer.from(ownAddresses(built.toString('utf8'), deps)))),
    ]),
  );
}

/** Without a build, /docs leads to the reference, which needs none. */
export function addDocsRoutes(app: Server, deps: DocsDeps): void {
  const options = { schema: { hide: true }, onRequest: deps.limitOpen };
  app.get('/robots.txt', options, async (_request, reply) =>
    reply.headers(docsHeaders).type('text/plain; charset=utf-8').send(robots),
  );
  const bodies = readBodies(deps.folder);
  if (!bodies.has('index.html')) {
    app.get('/docs', options, async (_request, reply) => reply.redirect('/docs/reference', 307));
    return;
  }
  const files = openFiles(bodies, deps);
  const headers = { ...docsHeaders, 'content-security-policy': pagePolicy(deps.publicUrl) };
  for (const route of ['/docs', '/docs/*', '/llms.txt'])
    app.get(route, options, async (request, reply) => {
      const [address = ''] = request.url.split('?', 1);
      const name = address === '/llms.txt' ? 'llms.txt' : nameFor(address.slice(prefix.length));
      const formOf = files.get(name);
      if (formOf === undefined) throw new ApiError(nothingHere);
      const file = await formOf(request.headers['accept-encoding'] ?? '');
      return sendFile(request, reply, { file, headers });
    });
}
