import { valueAt } from '@kelpie/dev/json.ts';
import type { TestDatabase } from '../harness/database.ts';
import { findLeaks } from '../harness/invariants.ts';
import { startApi, type ApiProcess } from '../harness/processes.ts';
import { openConnection, type Connection, type RawAnswer } from './connection.ts';
import { createFuzzedPartners } from './fuzzed-partners.ts';
import { findFault } from './judge.ts';
import { createModel, type FundedPartner, type Model } from './model.ts';
import type { FuzzRequest } from './request.ts';

/** An api of its own, with partners of its own, and what is known of them. */
export interface FuzzedApi {
  partners: readonly FundedPartner[];
  model: Model;
  open(): Connection;
  /** Sends one request; says what came, and what is wrong with it. */
  ask(connection: Connection, request: FuzzRequest): Promise<{ answer: RawAnswer | null; fault: string | undefined }>;
  /** Ends it; says what it told its log that it must not. */
  end(): Promise<string[]>;
}

export const partnersAsking = 16;

const usedKey = /\r\nidempotency-key: ([^\r]+)/;

export async function startFuzzedApi(database: TestDatabase): Promise<FuzzedApi> {
  const partners = await createFuzzedPartners(database, partnersAsking);
  const endings: (() => Promise<unknown>)[] = [];
  const api: ApiProcess = await startApi({ database, atEnd: (end) => void endings.push(end) });
  const port = Number(new URL(api.url).port);
  const model = createModel(database, partners);
  const keys: string[] = partners.map(() => 'no-key-was-used-yet');
  const asker = (number: number): FundedPartner => {
    const partner = partners[number % partners.length];
    if (partner === undefined) throw new Error('nobody asks');
    return partner;
  };
  /** The newest is asked for as often as all others: it can still change. */
  const idOf = (number: number): string => model.idsOf(number % partners.length).at(-1) ?? 'none-yet';
  const valueOf = (mark: string, number: number): string => {
    switch (mark) {
      case '<key>':
        return asker(number).key;
      case '<slug>':
        return asker(number).slug;
      case '<id>':
        return idOf(number);
      case '<foreign-id>':
        return idOf(number + 1);
      case '<idempotency-key>':
        return keys[number] ?? '';
      default:
        return mark;
    }
  };
  return {
    partners,
    model,
    open: () => openConnection(port),
    async ask(connection, request) {
      const { partner, head, body, method, isRaw } = request;
      const written = head.replaceAll(/<[a-z-]+>/g, (mark) => valueOf(mark, partner));
      const bytes = Buffer.concat([Buffer.from(written, 'latin1'), body]);
      const answer = await connection.exchange({ bytes, isHead: method === 'HEAD', isLast: isRaw });
      if (answer !== null && answer.status < 300) model.learn(partner, answer.status, answer.json);
      if (answer?.status === 201) keys[partner] = usedKey.exec(written)?.[1] ?? '';
      return { answer, fault: findFault(request, answer) };
    },
    async end() {
      for (const end of endings) await end();
      return findLeaks([api]);
    },
  };
}

/** For the summary: a status, and the code of an error. */
export function nameOf(answer: RawAnswer | null): string {
  if (answer === null) return 'none';
  const code = answer.status < 400 ? undefined : valueAt(answer.json, 'error.code');
  return typeof code === 'string' ? `${answer.status} ${code}` : String(answer.status);
}
