/** The server that takes our mails and delivers them. */
export interface MailRelay {
  host: string;
  port: number;
  /** TLS from the first byte (smtps://). */
  secure: boolean;
  auth: { user: string; pass: string } | null;
}

const usualPorts = new Map([
  ['smtp:', 587],
  ['smtps:', 465],
]);

/** User and password, null where there is neither, undefined where there is but one or it can't be read. */
function parseAuth({ username, password }: URL): MailRelay['auth'] | undefined {
  if (username === '' && password === '') return null;
  if (username === '' || password === '') return undefined;
  try {
    return { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  } catch {
    return undefined;
  }
}

/** From smtps://user:password@host:port, where special characters of user and password are written as %40; else undefined. */
export function parseRelay(text: string): MailRelay | undefined {
  const url = URL.parse(text);
  const usualPort = usualPorts.get(url?.protocol ?? '');
  if (url === null || usualPort === undefined || url.hostname === '') return undefined;
  // As it is normally written, and with nothing after the port.
  const isWhole = url.href === text && `${url.pathname}${url.search}${url.hash}` === '';
  const auth = parseAuth(url);
  if (!isWhole || auth === undefined) return undefined;
  return {
    host: url.hostname.replaceAll(/[[\]]/g, ''),
    port: url.port === '' ? usualPort : Number(url.port),
    secure: url.protocol === 'smtps:',
    auth,
  };
}
