import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

// Files that were built before, served as they are.

export const kinds: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** `br;q=0` says that it is not. */
export function isAccepted(accepted: string, encoding: string): boolean {
  return accepted.split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
  });
}

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

const encoders = {
  br: async (body: Buffer): Promise<Buffer> =>
    brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_LGWIN]: 22 } }),
  gzip: async (body: Buffer): Promise<Buffer> => zip(body),
};

/**
 * A file in each form that readers accept, compressed when first asked for: an api starts quickly. Then all answers share one
 * buffer, however many readers take their time.
 */
export function createSharedFile(
  name: string,
  bodyOf: () => Promise<Buffer>,
): (accepted: string) => Promise<StaticFile> {
  const forms = new Map<string | undefined, Promise<StaticFile>>();
  return async (accepted) => {
    const encoding = (['br', 'gzip'] as const).find((each) => isAccepted(accepted, each));
    const known = forms.get(encoding);
    if (known !== undefined) return known;
    const form = bodyOf()
      .then(async (body) => (encoding === undefined ? body : encoders[encoding](body)))
      .then((body) => describeFile(body, { name, encoding }));
    forms.set(encoding, form);
    return form;
  };
}

export interface StaticFile {
  kind: string;
  encoding: string | undefined;
  /** Its name changes with what is in it, so it never changes. */
  isImmutable: boolean;
  etag: string;
  body: Buffer;
}

export type Bodies = ReadonlyMap<string, Buffer>;

/** All of them, at the start: a package that is installed while this process runs replaces the files, and not what is served. */
export function readBodies(folder: string): Bodies {
  const isThere = existsSync(folder);
  const entries = isThere ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  return new Map(files.map((file) => [path.relative(folder, file), readFileSync(file)]));
}

export function describeFile(
  body: Buffer,
  { name, encoding }: { name: string; encoding: string | undefined },
): StaticFile {
  return {
    kind: kinds[path.extname(name)] ?? 'application/octet-stream',
    encoding,
    isImmutable: name.startsWith('assets/'),
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    body,
  };
}

export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, headers }: { file: StaticFile; headers: Readonly<Record<string, string>> },
): FastifyReply {
  const { etag, encoding, kind } = file;
  reply.headers({
    'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    ...headers,
    etag,
    'content-type': kind,
    vary: 'accept-encoding',
  });
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  if (encoding !== undefined) reply.header('content-encoding', encoding);
  return reply.send(file.body);
}
