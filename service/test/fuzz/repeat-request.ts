import type { TestDatabase } from '../harness/database.ts';
import { startFuzzedApi } from './fuzzed-api.ts';
import { unpackRequest } from './request.ts';

/** Sends one request again, to an api that is new, and shows what is answered. Says what is wrong with it. */
export async function repeatRequest(
  database: TestDatabase,
  line: string,
  say: (text: string) => void,
): Promise<string | undefined> {
  const request = unpackRequest(line);
  const api = await startFuzzedApi(database);
  const connection = api.open();
  try {
    say(`${request.head}${request.body.toString()}\n`);
    const { answer, fault } = await api.ask(connection, request);
    say(answer === null ? 'no answer' : `${answer.status}\n${[...answer.headers].join('\n')}\n\n${answer.text}`);
    if (fault !== undefined) say(`VIOLATION ${fault}`);
    return fault;
  } finally {
    connection.close();
    await api.end();
  }
}
