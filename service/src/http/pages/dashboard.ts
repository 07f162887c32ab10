import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../platform/api-error.ts';
import { nothingHere } from '../errors/errors.ts';
import type { Server } from '../server.ts';

// The dashboard: files that were built before (npm run dashboard:build), served as they are.

const prefix = '/dashboard/';

const kinds: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
/** The build has left smaller forms beside what can be made smaller, the best first. */
const encodings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

/** What a page may load: its own files and the API, from this address alone; and no script that stands in the page itself. */
const contentSecurityPolicy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self'`,
  `font-src 'self'`,
  `connect-src 'self'`,
  `base-uri 'none'`,
  `form-action 'self'`,
  `frame-ancestors 'none'`,
].join('; ');

const headersOfAll = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  vary: 'accept-encoding',
};

/** `br;q=0` says that it is not. */
function isAccepted(accepted: string, encoding: string): boolean {
  return accepted.split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
  });
}

interface StaticFile {
  kind: string;
  encoding: string | undefined;
  /** Its name changes with what is in it, so it never changes. */
  isImmutable: boolean;
  etag: string;
  body: Buffer;
}

interface Wanted {
  name: string;
  encoding: (typeof encodings)[number] | undefined;
}

type Bodies = ReadonlyMap<string, Buffer>;

/** All of them, at the start: a package that is installed while this process runs replaces the files, and not what is served. */
function readBodies(folder: string): Bodies {
  const isThere = existsSync(folder);
  const entries = isThere ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  return new Map(files.map((file) => [path.relative(folder, file), readFileSync(file)]));
}

function describe(body: Buffer, { name, encoding }: Wanted): StaticFile {
  return {
    kind: kinds[path.extname(name)] ?? 'application/octet-stream',
    encoding: encoding?.name,
    isImmutable: name.startsWith('assets/'),
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    body,
  };
}

/** The file that an address means. Pages have addresses of their own, and are all the same file to us. */
function nameFor(address: string, bodies: Bodies): string | undefined {
  if (bodies.has(address) && path.extname(address) in kinds) return address;
  return address.includes('.') ? undefined : 'index.html';
}

/**
 * Serves what is in the folder, and nothing where there is none: then it returns false. Only names that were there at the start
 * are known: an address can't lead out of it.
 */
export function addDashboardRoutes(app: Server, folder: string): boolean {
  const bodies = readBodies(folder);
  if (!bodies.has('index.html')) return false;
  const files = new Map<string, StaticFile>();
  const fileOf = (wanted: Wanted): StaticFile | undefined => {
    const key = wanted.name + (wanted.encoding?.suffix ?? '');
    const body = bodies.get(key);
    const file = files.get(key) ?? (body && describe(body, wanted));
    if (file !== undefined) files.set(key, file);
    return file;
  };

  const hidden = { schema: { hide: true } };
  app.get('/dashboard', hidden, async (_request, reply) => reply.redirect(prefix, 308));
  app.get('/dashboard/*', hidden, async (request, reply) => {
    const [address = ''] = request.url.slice(prefix.length).split('?', 1);
    const name = nameFor(address, bodies);
    if (name === undefined) throw new ApiError(nothingHere);
    const accepted = request.headers['accept-encoding'] ?? '';
    const encoding = encodings.find((form) => isAccepted(accepted, form.name) && bodies.has(name + form.suffix));
    const file = fileOf({ name, encoding });
    if (file === undefined) throw new ApiError(nothingHere);
    return sendFile(request, reply, file);
  });
  return true;
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: StaticFile): FastifyReply {
  const { etag, encoding, kind } = file;
  reply.headers({
    ...headersOfAll,
    etag,
    'content-type': kind,
    'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    ...(kind.startsWith('text/html') ? { 'content-security-policy': contentSecurityPolicy } : {}),
  });
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  if (encoding !== undefined) reply.header('content-encoding', encoding);
  return reply.send(file.body);
}
