/** Why a request has no answer. */
export type FailureReason =
  | 'address_refused'
  /** The name has no address, or its name servers don't answer. */
  | 'not_found'
  | 'connection_refused'
  | 'connection_lost'
  | 'tls'
  | 'timeout'
  | 'invalid_url'
  | 'too_large_headers'
  /** Our own proxy refused the connection, or could not be reached. */
  | 'proxy';

/** No connection, and why. It carries no text from outside. */
export class ConnectFailure extends Error {
  override readonly name = 'ConnectFailure';
  readonly reason: FailureReason;

  constructor(reason: FailureReason) {
    super(reason);
    this.reason = reason;
  }
}

function codeOf(error: Error): string {
  const code: unknown = Reflect.get(error, 'code');
  return typeof code === 'string' ? code : '';
}

const unreachable = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'EADDRNOTAVAIL']);
const timedOut = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']);
const lost = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE']);

/** Before the connection stands. What is no error of the network is one of TLS, which has hundreds of codes. */
export function whyNotConnected(error: Error, { isTls }: { isTls: boolean }): FailureReason {
  const code = codeOf(error);
  if (error instanceof ConnectFailure) return error.reason;
  if (unreachable.has(code)) return 'connection_refused';
  if (timedOut.has(code)) return 'timeout';
  return isTls && !lost.has(code) ? 'tls' : 'connection_lost';
}

/** Once the request is on its way. */
export function whyNotAnswered(error: Error): FailureReason {
  const code = codeOf(error);
  if (error instanceof ConnectFailure) return error.reason;
  if (timedOut.has(code)) return 'timeout';
  return code === 'UND_ERR_HEADERS_OVERFLOW' ? 'too_large_headers' : 'connection_lost';
}
