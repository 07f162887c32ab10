/** Where a database URL leads, as the driver reads it. */
export interface DatabaseAddress {
  /** A name, an IP address, or the folder of a local socket. */
  host: string;
  isSocket: boolean;
  /** TLS, with the server's certificate checked against an authority and the name in the URL. */
  isVerified: boolean;
  /** The file of the authority to trust instead of Node's own list. */
  rootCertificate: string | null;
}

/** Of a parameter that is given twice, the driver takes the last. */
function lastOf(url: URL, name: string): string | undefined {
  return url.searchParams.getAll(name).at(-1);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Null for what is no URL. A folder is written as %2Frun%2Fpostgresql in the place of the host, or as ?host=. */
export function parseDatabaseAddress(text: string): DatabaseAddress | null {
  const url = URL.parse(text);
  if (url === null) return null;
  const host = lastOf(url, 'host') ?? decoded(url.hostname).replaceAll(/[[\]]/g, '');
  return {
    host,
    isSocket: host.startsWith('/'),
    isVerified: lastOf(url, 'sslmode') === 'verify-full',
    rootCertificate: lastOf(url, 'sslrootcert') ?? null,
  };
}
