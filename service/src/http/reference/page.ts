import { createHash } from 'node:crypto';
import { fastify, type FastifyInstance } from 'fastify';
import type { LimitHook } from '../limits/rate-limit.ts';
import { product } from '../pages/discovery.ts';
import { docsHeaders, docsPolicy } from '../pages/docs-policy.ts';
import { createSharedFile, sendFile } from '../pages/static-files.ts';
import type { Server } from '../server.ts';
import { brandCss, brandFonts, favicon, faviconPath, fontFolder } from './brand.ts';

const page = '/docs/reference';

/** What the reference page may load: its own files from this address, and nothing from anywhere else. */
function contentSecurityPolicy(html: string): string {
  const inlineScripts = [...html.matchAll(/<script[^>]*>([^]*?)<\/script>/g)].map(([, text = '']) => text);
  const hashes = inlineScripts
    .filter((text) => text !== '')
    .map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  return docsPolicy([
    `script-src 'self' ${hashes.join(' ')}`,
    // The page's own styles are set from its script.
    `style-src 'self' 'unsafe-inline'`,
    `connect-src 'self'`,
  ]);
}

/** What the page's style needs. It changes with a release, so a browser keeps it for a day. */
function addBrandRoutes(scope: FastifyInstance): void {
  const schema = { hide: true };
  const keep = { 'cache-control': 'public, max-age=86400' };
  scope.get(faviconPath, { schema }, async (_request, reply) =>
    reply.headers({ ...keep, 'content-type': 'image/svg+xml' }).send(favicon),
  );
  for (const [name, font] of Object.entries(brandFonts)) {
    scope.get(`${fontFolder}/${name}.woff2`, { schema }, async (_request, reply) =>
      reply.headers({ ...keep, 'content-type': 'font/woff2' }).send(font),
    );
  }
}

/**
 * The library remembers what a reader chose. A page without an origin has nowhere to keep that, and reading `localStorage` throws,
 * so it gets one that lasts as long as the page.
 */
const storageScript = `for (const name of ['localStorage', 'sessionStorage']) {
  const kept = new Map();
  Object.defineProperty(window, name, {
    value: {
      getItem: (key) => kept.get(String(key)) ?? null,
      setItem: (key, value) => void kept.set(String(key), String(value)),
      removeItem: (key) => void kept.delete(String(key)),
      clear: () => kept.clear(),
      key: (place) => [...kept.keys()][place] ?? null,
      get length() { return kept.size; },
    },
  });
}
`;

function withStorage(html: string): string {
  return html.replace('<script src="js/scalar.js">', '<script src="js/storage.js"></script>$&');
}

/** The page and its script, as an application of their own that is asked as any client asks it. */
async function openPage(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const inner = fastify();
  await inner.register(scalar, {
    routePrefix: page,
    configuration: {
      url: '/v1/openapi.json',
      pageTitle: `${product.name} API`,
      favicon: faviconPath,
      theme: 'none',
      customCss: brandCss,
      withDefaultFonts: false,
      telemetry: false,
      // Only the samples of ours are shown: a test runs every one of them.
      hiddenClients: true,
      documentDownloadType: 'direct',
      authentication: { preferredSecurityScheme: 'apiKey' },
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
      hideClientButton: true,
      // A page without an origin can't call the API.
      hideTestRequestButton: true,
    },
  });
  return inner;
}

/** The library is a script of 4 MB. It is loaded with the first request for the page, so that an api starts quickly. */
function addPage(scope: FastifyInstance): void {
  let opened: Promise<FastifyInstance> | undefined;
  const ask = async (path: string) => {
    opened ??= openPage();
    return (await opened).inject(path);
  };
  for (const path of [page, `${page}/`]) {
    scope.get(path, { schema: { hide: true } }, async (_request, reply) => {
      const { statusCode, headers, payload } = await ask(path);
      if (headers.location !== undefined) return reply.redirect(headers.location, statusCode);
      return reply
        .code(statusCode)
        .type(headers['content-type'] ?? 'text/plain')
        .send(withStorage(payload));
    });
  }
  const script = createSharedFile('scalar.js', async () => (await ask(`${page}/js/scalar.js`)).rawPayload);
  scope.get(`${page}/js/scalar.js`, { schema: { hide: true } }, async (request, reply) =>
    sendFile(request, reply, { file: await script(request.headers['accept-encoding'] ?? ''), headers: {} }),
  );
  scope.get(`${page}/js/storage.js`, { schema: { hide: true } }, async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(storageScript),
  );
}

/** The description for programs at /v1/openapi.json, and the same for people at /docs/reference. */
export async function addReferenceRoutes(app: Server, limitOpen: LimitHook): Promise<void> {
  const config = { access: 'anybody' } as const;
  // The reference reads it as a page of another site would, and so may any other tool that shows an API.
  const headers = { 'access-control-allow-origin': '*', 'cache-control': 'no-store' };
  const described = createSharedFile('openapi.json', async () =>
    Promise.resolve(Buffer.from(JSON.stringify(app.swagger()))),
  );
  app.get('/v1/openapi.json', { schema: { hide: true }, config, onRequest: limitOpen }, async (request, reply) =>
    sendFile(request, reply, { file: await described(request.headers['accept-encoding'] ?? ''), headers }),
  );
  // In a scope of its own: no other request shall pass through what only this page needs.
  await app.register(async (scope) => {
    scope.addHook('onRequest', limitOpen);
    scope.addHook('onSend', async (_request, reply, payload) => {
      reply.headers(docsHeaders);
      if (typeof payload === 'string' && payload.startsWith('<!doctype html>')) {
        reply.header('content-security-policy', contentSecurityPolicy(payload));
      }
    });
    addBrandRoutes(scope);
    addPage(scope);
  });
}
