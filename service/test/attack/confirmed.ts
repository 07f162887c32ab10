import { eventually } from '@kelpie/dev/eventually.ts';
import type { ApiAnswer } from '../harness/client.ts';
import { callAs, type Person } from '../harness/people.ts';
import type { Stage } from './stage.ts';

interface Act {
  method: string;
  path: string;
  body?: Record<string, unknown>;
}

export async function act(person: Person, { method, path, body }: Act, code?: string): Promise<ApiAnswer> {
  const coded = code === undefined ? body : { ...body, confirm_code: code };
  return callAs(person, path, { method, ...(coded === undefined ? {} : { body: coded }) });
}

/** The codes that were emailed to this address so far, newest first. */
export function codesTo({ inbox }: Stage, email: string): string[] {
  return inbox
    .mails()
    .filter(({ to }) => to.includes(email))
    .flatMap(({ text }) => /^ +(\d{6})$/m.exec(text)?.[1] ?? []);
}

/** Until every email that was asked for has arrived: what arrives from then on was asked for later. */
export async function untilMailed({ sql }: Stage): Promise<void> {
  await eventually('no email waits any more', async () => {
    const waiting = await sql(
      `select from kelpie.sign_in_codes where mail_encrypted is not null
       union all select from kelpie.outgoing_mails where content_encrypted is not null`,
    );
    return waiting.length === 0;
  });
}

/** Has a code emailed for an act, as the person who reads that mailbox. */
export async function codeFor(stage: Stage, person: Person, wanted: Act): Promise<string> {
  await untilMailed(stage);
  const before = codesTo(stage, person.email).length;
  const asked = await act(person, wanted);
  if (asked.code !== 'confirmation_required') throw new Error(`${wanted.path} asked for no code: ${asked.text}`);
  return eventually('the code is emailed', async () => {
    const codes = codesTo(stage, person.email);
    return codes.length > before && codes[0];
  });
}

/** Does what needs a code, with the session and the mailbox. */
export async function actConfirmed(stage: Stage, person: Person, wanted: Act): Promise<ApiAnswer> {
  return act(person, wanted, await codeFor(stage, person, wanted));
}

export function wrong(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0');
}
