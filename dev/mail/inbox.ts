import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { createWatch } from '../watch.ts';
import { parseMail, type Mail } from './mail.ts';
import { renderInbox } from './page.ts';

export interface MailInbox {
  smtpPort: number;
  pagePort: number;
  /** Newest first. */
  mails(): readonly Mail[];
  /** The newest mail to this address, here already or still to come. */
  waitForMail(to: string, timeoutMs?: number): Promise<Mail>;
  close: () => Promise<void>;
}

/** Older mails are forgotten: this is an inbox for looking at, not an archive. */
const mostMails = 500;
const mostMailBytes = 1024 * 1024;

async function listen(
  server: { listen(port: number, host: string, done: () => void): unknown },
  port: number,
): Promise<void> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return address.port;
}

/** What a relay says to an address instead of yes: a status, and a sentence. */
type AnswerTo = (address: string) => { status: number; text: string } | undefined;

interface InboxOptions {
  smtp: number;
  page: number;
  /** Offers STARTTLS with this certificate. */
  certificate?: { key: string; cert: string };
}

/** Takes every mail that is sent to it over real SMTP, delivers none, and shows them on a page. A test can have it say no. */
export async function startMailInbox(
  { certificate, ...ports }: InboxOptions,
  answerTo: AnswerTo = () => undefined,
): Promise<MailInbox> {
  const mails: Mail[] = [];
  const watch = createWatch();
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: certificate === undefined ? ['STARTTLS'] : [],
    ...certificate,
    size: mostMailBytes,
    // A worker keeps its connections open between two mails: who closes the inbox does not wait for them.
    closeTimeout: 100,
    onRcptTo({ address }, _, done) {
      const no = answerTo(address);
      done(no && Object.assign(new Error(no.text), { responseCode: no.status }));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map((recipient) => recipient.address);
        parseMail(Buffer.concat(chunks), to).then((mail) => {
          mails.unshift(mail);
          mails.splice(mostMails);
          watch.changed();
          done();
        }, done);
      });
    },
  });
  await listen(smtp, ports.smtp);

  const page = createServer((request, response) => {
    if (request.url === '/mails') {
      response.setHeader('content-type', 'application/json; charset=utf-8').end(JSON.stringify(mails));
    } else if (request.url === '/') {
      response.setHeader('content-type', 'text/html; charset=utf-8').end(renderInbox(mails));
    } else {
      response.writeHead(404).end();
    }
  });
  await listen(page, ports.page);

  return {
    smtpPort: portOf(smtp.server.address()),
    pagePort: portOf(page.address()),
    mails: () => mails,
    waitForMail: async (to, timeoutMs = 10_000) =>
      watch.find(() => mails.find((mail) => mail.to.includes(to)), {
        timeoutMs,
        otherwise: () => new Error(`no email to ${to} arrived within ${timeoutMs} ms`),
      }),
    async close() {
      page.closeAllConnections();
      await Promise.all([
        new Promise((resolve) => page.close(resolve)),
        new Promise<void>((resolve) => smtp.close(resolve)),
      ]);
    },
  };
}
