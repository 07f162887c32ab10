import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from '../../platform/database/pool.ts';
import type { Logger } from '../../platform/logging.ts';
import { acknowledgeVersion, forgetRouter, listCells, readChanges, type PartnerPlace } from '../directory-store.ts';

/** A request that was passed on. */
interface PassedRequest {
  /** Answers the caller that it did not end, if nothing was answered yet, and lets go of the cell. */
  cut: () => void;
}

/** What this router knows of the directory, and what it has under way. */
export interface Places {
  find(partnerId: string): PartnerPlace | undefined;
  urlOf(cell: string): string | undefined;
  urls(): string[];
  /** False once the directory was silent for too long: a partner may be held, and we would not know. */
  isCurrent(): boolean;
  /** Settles once the directory says something new, or after so long. */
  changed(withinMs: number): Promise<void>;
  /** From the moment a request is passed on; call what it returns at its end. */
  pass(partnerId: string, request: PassedRequest): () => void;
  stop(): Promise<void>;
}

const readEveryMs = 50;
/** Shorter than the time after which the mover counts on a router no more (directory-store.ts). */
const currentForMs = 2_000;
/** How long requests that were passed on before a hold have to end. */
const drainMs = 1_500;

interface Drain {
  before: bigint;
  until: number;
  requests: Set<PassedRequest>;
}

export async function followDirectory(directory: Pool, routerId: string, logger: Logger): Promise<Places> {
  const places = new Map<string, PartnerPlace>();
  const passed = new Map<string, Set<PassedRequest>>();
  const drains = new Map<string, Drain>();
  const stopping = new AbortController();
  const cells = new Map((await listCells(directory)).map(({ name, url }) => [name, url]));
  let version = 0n;
  let readAt = performance.now();
  let waiting: (() => void)[] = [];

  const apply = (place: PartnerPlace): void => {
    const was = places.get(place.partnerId);
    places.set(place.partnerId, place);
    if (place.isHeld && was?.isHeld !== true) {
      const requests = new Set(passed.get(place.partnerId));
      if (requests.size > 0)
        drains.set(place.partnerId, { before: version, until: performance.now() + drainMs, requests });
    }
    if (!place.isHeld) drains.delete(place.partnerId);
  };

  const read = async (): Promise<void> => {
    const begunAt = performance.now();
    const changes = await readChanges(directory, String(version));
    for (const place of changes.partners) apply(place);
    const isNew = BigInt(changes.version) !== version;
    version = BigInt(changes.version);
    readAt = begunAt;
    if (isNew) {
      for (const wake of waiting) wake();
      waiting = [];
    }
    let acknowledged = version;
    for (const [partnerId, drain] of drains) {
      if (performance.now() > drain.until) for (const request of drain.requests) request.cut();
      const under = passed.get(partnerId);
      const isDrained = [...drain.requests].every((request) => under?.has(request) !== true);
      if (isDrained) drains.delete(partnerId);
      else if (drain.before < acknowledged) acknowledged = drain.before;
    }
    await acknowledgeVersion(directory, routerId, String(acknowledged));
  };

  await read();
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await wait(readEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      await read().catch((error: unknown) => logger.warn({ error }, 'router.directory_silent'));
    }
  };
  const following = loop();

  return {
    find: (partnerId) => places.get(partnerId),
    urlOf: (cell) => cells.get(cell),
    urls: () => [...cells.values()],
    isCurrent: () => performance.now() - readAt < currentForMs,
    async changed(withinMs) {
      const timer = new AbortController();
      await Promise.race([
        new Promise<void>((resolve) => waiting.push(resolve)),
        wait(withinMs, undefined, { signal: timer.signal }).catch(() => undefined),
      ]);
      timer.abort();
    },
    pass(partnerId, request) {
      const requests = passed.get(partnerId) ?? new Set();
      passed.set(partnerId, requests.add(request));
      return () => {
        requests.delete(request);
        if (requests.size === 0) passed.delete(partnerId);
      };
    },
    async stop() {
      stopping.abort();
      await following;
      await forgetRouter(directory, routerId);
    },
  };
}
