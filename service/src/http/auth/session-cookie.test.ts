import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endedSessionCookie, sessionCookie, sessionCookieName, sessionTokenOf } from './session-cookie.ts';

const token = '0123456789abcdef'.repeat(4);
const other = 'f'.repeat(64);
const own = `${sessionCookieName}=${token}`;
const read = (cookie?: string): string | undefined =>
  sessionTokenOf({ headers: cookie === undefined ? {} : { cookie } });

test('the session token is found among other cookies', () => {
  for (const header of [own, `a=b; ${own}`, `${own}; a=b`, `a; =; ;${own};`, `  ${own}  `, `__proto__=x; ${own}`]) {
    assert.equal(read(header), token, header);
  }
});

test('of two session cookies the first counts, even if its value is not a token', () => {
  assert.equal(read(`${own}; ${sessionCookieName}=${other}`), token);
  assert.equal(read(`${sessionCookieName}=; ${own}`), undefined);
  assert.equal(read(`${sessionCookieName}=wrong; ${own}`), undefined);
});

test('a token is taken only under its exact name and in its exact form', () => {
  for (const header of [
    undefined,
    '',
    ';',
    '=',
    sessionCookieName,
    `${sessionCookieName}=`,
    `=${token}`,
    `a=${own}`,
    `x${own}`,
    `\u00a0${own}`,
    own.toLowerCase(),
    `${sessionCookieName}=${token.toUpperCase()}`,
    `${sessionCookieName}="${token}"`,
    `${sessionCookieName}=%30${token.slice(1)}`,
    `${own}0`,
    `${own}=`,
    `${own}, ${sessionCookieName}=${other}`,
  ]) {
    assert.equal(read(header), undefined, header);
  }
});

test('the cookie is for this host alone, over https, out of reach of scripts and other sites', () => {
  const attributes = 'Path=/; HttpOnly; Secure; SameSite=Strict';
  assert.equal(sessionCookie(token, 43_200), `__Host-kelpie_session=${token}; ${attributes}; Max-Age=43200`);
  assert.equal(endedSessionCookie, `__Host-kelpie_session=; ${attributes}; Max-Age=0`);
});
