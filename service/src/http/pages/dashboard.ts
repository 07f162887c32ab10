import path from 'node:path';
import { ApiError } from '../../platform/api-error.ts';
import { nothingHere } from '../errors/errors.ts';
import type { Server } from '../server.ts';
import { describeFile, isAccepted, kinds, readBodies, sendFile, type Bodies, type StaticFile } from './static-files.ts';

// The dashboard: files that were built before (npm run dashboard:build).

const prefix = '/dashboard/';

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
};

function headersOf({ kind }: StaticFile): Readonly<Record<string, string>> {
  return kind.startsWith('text/html')
    ? { ...headersOfAll, 'content-security-policy': contentSecurityPolicy }
    : headersOfAll;
}

interface Wanted {
  name: string;
  encoding: (typeof encodings)[number] | undefined;
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
  const fileOf = ({ name, encoding }: Wanted): StaticFile | undefined => {
    const key = name + (encoding?.suffix ?? '');
    const body = bodies.get(key);
    const file = files.get(key) ?? (body && describeFile(body, { name, encoding: encoding?.name }));
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
    return sendFile(request, reply, { file, headers: headersOf(file) });
  });
  return true;
}
