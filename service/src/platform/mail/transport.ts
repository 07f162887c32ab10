import { createTransport } from 'nodemailer';
import type { MailFile } from './attachment.ts';
import type { MailContent } from './layout.ts';
import type { MailSender } from '../configuration/mail-address.ts';
import type { MailRelay } from '../configuration/relay-address.ts';

interface Letter extends MailContent {
  to: string;
  files?: readonly MailFile[];
  messageId: string;
  date: Date;
}

/** What the relay said for good. Anything else is thrown, and worth another try. */
type SendOutcome = { kind: 'taken' } | { kind: 'refused'; status: number };

export interface MailTransport {
  send(letter: Letter): Promise<SendOutcome>;
  close(): void;
}

export interface RelaySettings {
  relay: MailRelay;
  from: MailSender;
  /** Nothing is said to a relay in clear. A relay on a developer's machine has no certificate. */
  requireTls: boolean;
}

const connectTimeoutMs = 10_000;
const greetingTimeoutMs = 10_000;
/** Of silence. */
const socketTimeoutMs = 20_000;
/** For all of it, also where the relay says a little again and again. */
const sendTimeoutMs = 60_000;
/** Shorter than relays wait, so that it is us who hang up, and never in the middle of a mail. */
const idleTimeoutMs = 20_000;
const connections = 4;

function connectionOptions({ relay, requireTls }: Omit<RelaySettings, 'from'>) {
  const { auth, ...address } = relay;
  return {
    ...address,
    ...(auth === null ? {} : { auth }),
    requireTLS: requireTls,
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: greetingTimeoutMs,
    socketTimeout: socketTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** Connects to the relay, turns TLS on and signs in, as before a mail, and sends none. Throws where one of them fails. */
export async function greetRelay(settings: Omit<RelaySettings, 'from'>): Promise<void> {
  const transporter = createTransport(connectionOptions(settings));
  try {
    await transporter.verify();
  } finally {
    transporter.close();
  }
}

export function openMailTransport({ from, ...settings }: RelaySettings): MailTransport {
  const transporter = createTransport({
    ...connectionOptions(settings),
    pool: true,
    maxConnections: connections,
    // The queue tries again, and says so; the pool would do it in silence.
    maxRequeues: 0,
    idleTimeout: idleTimeoutMs,
  });
  return {
    async send({ to, files = [], ...letter }) {
      try {
        await withinTime(
          transporter.sendMail({
            ...letter,
            // As objects: nothing in them is read as a list of addresses.
            from: { name: from.name, address: from.address },
            to: { name: '', address: to },
            attachments: files.map(({ name, ...file }) => ({ filename: name, ...file })),
            xMailer: false,
            // Out-of-office programs do not answer it.
            headers: { 'Auto-Submitted': 'auto-generated' },
          }),
        );
        return { kind: 'taken' };
      } catch (error) {
        const status = rejectionStatus(error);
        if (status === undefined) throw error;
        return { kind: 'refused', status };
      }
    },
    close: () => transporter.close(),
  };
}

async function withinTime(sending: Promise<unknown>): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('the relay did not accept the email in time')), sendTimeoutMs);
  try {
    await Promise.race([sending, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The status by which the relay said that there is no such address; undefined for everything else. A 5xx may also mean that
 * it does not let us in, or does not relay for us (5.7.x, 530, 554): that is ours to mend, and the mail waits for it.
 */
export function rejectionStatus(error: unknown): number | undefined {
  if (!(error instanceof Error) || Reflect.get(error, 'command') !== 'RCPT TO') return undefined;
  const response: unknown = Reflect.get(error, 'response');
  const said = typeof response === 'string' ? response : '';
  const [, status, detail] = /^(5\d\d)(?:[ -](\d\.\d{1,3}\.\d{1,3})\b)?/.exec(said) ?? [];
  const isOfAddress = detail === undefined ? /^55[0-3]$/.test(status ?? '') : /^5\.[124]\./.test(detail);
  return isOfAddress ? Number(status) : undefined;
}
