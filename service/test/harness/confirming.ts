import assert from 'node:assert/strict';
import { eventually } from '@kelpie/dev/eventually.ts';
import type { MailInbox } from '@kelpie/dev/mail/inbox.ts';
import type { ApiAnswer } from './client.ts';
import type { TestDatabase } from './database.ts';
import { mailedCode } from './mailed-code.ts';
import { callAs, type Person } from './people.ts';

interface Request {
  method: string;
  body?: object;
  headers?: Record<string, string>;
}

/** Acts that a person confirms by an emailed code. */
export interface Confirming {
  /** Asks for the act, and reads the code for it. */
  ask(person: Person, path: string, request: Request): Promise<string>;
  /** Asks for the act, and confirms it where a code is asked for. */
  call(person: Person, path: string, request: Request): Promise<ApiAnswer>;
}

export function withCode(request: Request, code: string): Request {
  return { ...request, body: { ...request.body, confirm_code: code } };
}

const subject = 'Your code to confirm a change';

/** Codes are read where emails wait; or in the inbox, where a worker delivers them. */
export function confirming(database: Pick<TestDatabase, 'superuserUrl'>, inbox?: Pick<MailInbox, 'mails'>): Confirming {
  const delivered = (email: string) =>
    (inbox?.mails() ?? []).filter((mail) => mail.to.includes(email) && mail.subject === subject);
  const readCode = async ({ email }: Person, before: number): Promise<string> => {
    if (inbox === undefined) return mailedCode(database, { to: email, kind: 'confirm-act' });
    const mail = await eventually('the code is there', async () => {
      const mails = delivered(email);
      return mails.length > before && mails[0];
    });
    const [code] = /\b\d{6}\b/.exec(mail.text) ?? [];
    assert(code !== undefined, mail.text);
    return code;
  };
  return {
    async ask(person, path, request) {
      const before = delivered(person.email).length;
      const asked = await callAs(person, path, request);
      assert.deepEqual([asked.status, asked.code], [422, 'confirmation_required'], asked.text);
      return readCode(person, before);
    },
    async call(person, path, request) {
      const before = delivered(person.email).length;
      const answer = await callAs(person, path, request);
      if (answer.code !== 'confirmation_required') return answer;
      return callAs(person, path, withCode(request, await readCode(person, before)));
    },
  };
}
