import { isIP, Socket } from 'node:net';
import { buildConnector, Pool, type Dispatcher } from 'undici';
import { createCheckedLookup, type Resolve } from './checked-lookup.ts';
import { ConnectFailure, whyNotConnected } from './connect-failure.ts';
import type { AddressCheck } from './public-address.ts';

export type Connector = buildConnector.connector;

/** From the name to the end of the TLS handshake. It leaves half of the deadline for the answer. */
const connectTimeoutMs = 5_000;

interface ConnectorDeps {
  check: AddressCheck;
  resolve: Resolve;
  /** An authority to trust instead of the usual ones. */
  ca?: string | undefined;
}

/** Every failure leaves as a ConnectFailure. The client would try some errors again for ever, by their code. */
function explaining(connect: Connector): Connector {
  return (options, callback) => {
    connect(options, (error, socket) => {
      if (error === null) callback(null, socket);
      else callback(new ConnectFailure(whyNotConnected(error, { isTls: options.protocol === 'https:' })), null);
    });
  };
}

/** An address in place of a name is never looked up, so it is checked here. */
function checkingLiterals(check: AddressCheck, connect: Connector): Connector {
  return (options, callback) => {
    if (isIP(options.hostname) !== 0 && !check(options.hostname)) callback(new ConnectFailure('address_refused'), null);
    else connect(options, callback);
  };
}

export function createConnector({ check, resolve, ca }: ConnectorDeps): Connector {
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    allowH2: false,
    lookup: createCheckedLookup(resolve, check),
    autoSelectFamily: true,
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
  });
  return checkingLiterals(check, explaining(connect));
}

async function openTunnel(proxy: Dispatcher, proxyUrl: string, target: string): Promise<Socket> {
  try {
    const { socket, statusCode } = await proxy.connect({ origin: proxyUrl, path: target, headers: { host: target } });
    if (statusCode === 200 && socket instanceof Socket) return socket;
    socket.on('error', () => undefined).destroy();
  } catch {
    // Unreachable, silent or no proxy at all: for the request it is the same.
  }
  throw new ConnectFailure('proxy');
}

/**
 * Connects through a proxy (CONNECT, for http:// too), which resolves the names: only it can refuse those that lead inside.
 * The client's own ProxyAgent does not say whether the proxy failed or the endpoint.
 */
export function createProxyConnector(proxyUrl: string, { check, ca }: Omit<ConnectorDeps, 'resolve'>) {
  const timeouts = { connect: { timeout: connectTimeoutMs }, headersTimeout: connectTimeoutMs };
  const proxy = new Pool(proxyUrl, { ...timeouts, allowH2: false });
  const startTls = explaining(
    buildConnector({
      timeout: connectTimeoutMs,
      allowH2: false,
      rejectUnauthorized: true,
      ...(ca === undefined ? {} : { ca }),
    }),
  );
  const connect: Connector = (options, callback) => {
    const isTls = options.protocol === 'https:';
    const port = options.port === '' ? (isTls ? '443' : '80') : options.port;
    const host = isIP(options.hostname) === 6 ? `[${options.hostname}]` : options.hostname;
    openTunnel(proxy, proxyUrl, `${host}:${port}`).then(
      (socket) => (isTls ? startTls({ ...options, httpSocket: socket }, callback) : callback(null, socket)),
      () => callback(new ConnectFailure('proxy'), null),
    );
  };
  return { connect: checkingLiterals(check, connect), close: async () => proxy.destroy() };
}
