// The router: finds the cell of each request, by API key, public page or session, and passes it on. What a partner sends while
// it is being moved waits here for a bounded time.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createPepper } from '../../access/index.ts';
import { systemClock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { createTtlCache } from '../../platform/ttl-cache.ts';
import { findPartnerId, type Address } from '../directory-store.ts';
import { openDirectory, openLoggerOf, requiredSetting } from '../programs.ts';
import { addressOf } from './address-of.ts';
import { followDirectory } from './follow-directory.ts';
import { passOn, passToAll, refuse } from './pass-on.ts';

/** How long a request waits for the end of a move. */
const holdMs = 8_000;
const knownFor = { keepMs: 1_000, most: 100_000 };

const logger = openLoggerOf('router');
const directory = openDirectory(logger, 4);
const pepper = createPepper(new Map([[1, Buffer.from(requiredSetting('CELLS_API_KEY_PEPPER'), 'hex')]]));
const places = await followDirectory(directory, newId(systemClock), logger);
const partnerIds = createTtlCache<string | null>(knownFor);

async function partnerOf(request: IncomingMessage): Promise<{ id: string } | 'bank' | null> {
  const named = addressOf({ url: request.url ?? '/', headers: request.headers });
  if (named.kind === 'bank') return 'bank';
  if (named.kind === 'none') return null;
  const address: Address =
    named.kind === 'session' ? { kind: 'session', tokenHmac: pepper.digest(named.token) } : named;
  const key = Object.values(address).map(String).join(' ');
  const id = await partnerIds.get(key, async () => findPartnerId(directory, address));
  return id === null ? null : { id };
}

/** False where a partner is held for longer, or the directory is silent. It may be held again by the time that this is read. */
async function untilOpen(partnerId: string): Promise<boolean> {
  const until = performance.now() + holdMs;
  for (;;) {
    if (!places.isCurrent()) return false;
    if (places.find(partnerId)?.isHeld === false) return true;
    const leftMs = until - performance.now();
    if (leftMs <= 0) return false;
    await places.changed(leftMs);
  }
}

/** Nothing is awaited between the look at the place and the pass: a hold that comes later finds the request. */
function passToItsCell(
  partnerId: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> | undefined {
  const place = places.find(partnerId);
  if (place === undefined || place.isHeld || !places.isCurrent()) return undefined;
  const url = places.urlOf(place.cell);
  if (url === undefined) return undefined;
  const passed = passOn(url, request, response);
  const done = places.pass(partnerId, passed);
  return passed.ended.then(done);
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const partner = await partnerOf(request);
  const urls = places.urls();
  if (partner === 'bank') return passToAll(urls, request, response);
  if (partner === null) {
    // What is of no partner is the same in every cell.
    const [url] = urls;
    return url === undefined ? refuse(response) : passOn(url, request, response).ended;
  }
  while (await untilOpen(partner.id)) {
    if (response.destroyed) return;
    const passed = passToItsCell(partner.id, request, response);
    if (passed !== undefined) return passed;
  }
  refuse(response);
}

const server = createServer((request, response) => {
  serve(request, response).catch((error: unknown) => {
    logger.warn({ error }, 'router.failed');
    refuse(response);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env['CELLS_ROUTER_PORT'] ?? '0'), '127.0.0.1', () => {
  const address = server.address();
  logger.info({ port: typeof address === 'object' ? (address?.port ?? 0) : 0 }, 'router.listening');
});

process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  void places
    .stop()
    .then(async () => directory.end())
    .finally(() => process.exit(0));
});
