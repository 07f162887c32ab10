import type { Hole } from './hole.ts';

/** For each attack a hole that lets it through: the defence that the attack is about, taken away. */
export const holes: Readonly<Record<string, Hole>> = {
  csrf: {
    file: 'service/src/http/auth/session-cookie.ts',
    edits: [['const ownSites = new Set([', "const ownSites = new Set(['cross-site', 'same-site', "]],
  },
  'login-csrf': {
    file: 'service/src/http/auth/session-cookie.ts',
    edits: [['done(isForeign(request, ownOrigin) ? new ApiError(foreign) : undefined)', 'done()']],
  },
  cors: {
    file: 'service/src/http/server.ts',
    edits: [
      [
        "app.addHook('onRequest', (request, reply, done) => {",
        "app.addHook('onRequest', (request, reply, done) => { reply.header('access-control-allow-origin', '*');",
      ],
    ],
  },
  'session-fixation': {
    file: 'service/src/access/signing-in/sign-in.ts',
    edits: [
      ["const token = randomBytes(32).toString('hex');", "const token = oldToken ?? randomBytes(32).toString('hex');"],
    ],
  },
  'sign-in-code-reuse': {
    file: 'service/database/functions/access/open_session.sql',
    edits: [['update kelpie.sign_in_codes c set used_at = at where c.id = code.id;', '']],
  },
  'foreign-slug': {
    file: 'service/src/http/auth/authentication.ts',
    edits: [
      [
        'const { sessionId: callerId, email: by, partnerId, role } = signedIn;',
        "const { sessionId: callerId, email: by, role } = signedIn; const partnerId = String(request.headers['kelpie-account'] ?? signedIn.partnerId);",
      ],
    ],
  },
  'payout-code-moved': {
    file: 'service/src/access/confirming/confirmations.ts',
    edits: [
      [
        'const purpose = `confirm|${sessionId}|${what}`;',
        'const purpose = String(what.length * 0 + sessionId.length);',
      ],
    ],
  },
  'viewer-writes': {
    file: 'service/src/http/auth/access.ts',
    edits: [["caller.role === 'viewer' && access !== 'people'", "caller.role === 'viewer' && access === 'payers'"]],
  },
};
