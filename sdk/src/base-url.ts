/** What to write instead of an address, so far as that can be said. The address itself may hold a password: then it is not repeated. */
function repair(given: string): string {
  const bare = given.replace(/^[a-z]+:\/\//i, '').replace(/(\/v1)?\/*$/, '');
  const isLocal = /^(localhost|127\.|\[::1\])/.test(bare);
  if (bare === '' || !/^[\w.:[\]/-]+$/.test(bare)) return 'https://api.example.com';
  return `${given.startsWith('http://') || (isLocal && !given.startsWith('https://')) ? 'http' : 'https'}://${bare}`;
}

function problemOf(given: string): string | undefined {
  if (given === '') return 'is empty';
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(given)) return 'has no scheme (http:// or https://)';
  if (!URL.canParse(given)) return 'is not a URL';
  const { protocol, username, password, search, hash, pathname } = new URL(given);
  if (protocol !== 'https:' && protocol !== 'http:') return `must start with https:// or http://, not ${protocol}//`;
  if (username !== '' || password !== '') return 'must not contain a user name or a password';
  if (search !== '' || hash !== '') return 'must not contain a query or a fragment';
  if (/\/v1\/*$/.test(pathname)) return 'must not end in /v1: the client adds it';
  return undefined;
}

/** The address without a slash at its end. A wrong one would only be noticed at the first call, as if Kelpie were away. */
export function checkBaseUrl(given: string): string {
  const problem = problemOf(given);
  if (problem !== undefined) throw new TypeError(`baseUrl ${problem}. Write it as ${repair(given)}`);
  return given.replace(/\/+$/, '');
}
