import type { Hole } from './hole.ts';

const endlessKeys = [
  ['or found_key.ends_at <= at then', 'then'],
  ['found_key.networks::text[], found_key.ends_at,', 'found_key.networks::text[], null::timestamptz,'],
] as const;
const identifyKey = 'service/database/functions/access/identify_api_key.sql';
const payingKey = 'service/database/functions/payouts/paying_key.sql';

/** For each attack a hole that lets it through: the defence that the attack is about, taken away. */
export const holes: Readonly<Record<string, Hole>> = {
  'mailbox-without-passkey': {
    file: 'service/database/functions/access/find_session.sql',
    edits: [['      and (s.passkey_at is not null or not kelpie.needs_passkey(s.partner_id, s.email));', '      ;']],
  },
  'session-without-passkey': {
    file: 'service/database/functions/access/judge_confirmation.sql',
    edits: [['if newest.proven_at is null and kelpie.needs_passkey(', 'if false and kelpie.needs_passkey(']],
  },
  'passkey-challenge-replayed': {
    file: 'service/database/functions/access/use_passkey.sql',
    edits: [["c.session_id = of_session and c.purpose = of_purpose and c.purpose <> 'add'", "c.purpose <> 'add'"]],
  },
  'foreign-passkey': {
    file: 'service/src/access/passkeys/verify.ts',
    edits: [
      [
        'expectedRPID: party.id,\n      requireUserVerification: true,\n      credential: {',
        'expectedRPID: party.id,\n      requireUserVerification: false,\n      credential: {',
      ],
    ],
  },
  'approves-own': {
    file: 'service/src/payouts/creation/ask-for-approval.ts',
    edits: [["requester: via === 'dashboard' ? by : await findKeyCreator(tx, callerId),", 'requester: null,']],
    also: {
      file: 'service/database/functions/payouts/open_payout_request.sql',
      edits: [
        [
          "case when via = 'dashboard' then by else (select k.created_by from kelpie.api_keys k where k.id = of_caller) end",
          'null',
        ],
      ],
    },
  },
  'request-tampered': {
    file: 'service/src/payouts/approvals/approve-request.ts',
    edits: [['digestOfRequest(digest, request).equals(request.digest)', 'digest === bodyDigest.newest']],
  },
  'rows-tampered': {
    file: 'service/src/access/sealed-rows.ts',
    edits: [['return macs.isOurs(row, values, mac);', 'return macs.version > 0;']],
  },
  'rules-loosened': {
    file: 'service/database/functions/payouts/set_approval_rules.sql',
    edits: [['(new_above > rules.above_pence or new_above is null)', 'false']],
  },
  'approval-code-moved': {
    file: 'service/src/payouts/approvals/approve-request.ts',
    edits: [
      ["['payout_request.approve', request.id, request.digest.toString('hex')]", "['payout_request.approve']"],
      ["      ['Expires on', showInstant(request.expiresAt)],\n", ''],
    ],
  },
  'key-drains': {
    file: 'service/database/functions/payouts/limits_of.sql',
    edits: [['then 5000000 end', 'then 500000000 end']],
  },
  'cap-split': {
    file: 'service/database/functions/payouts/judge_limits.sql',
    edits: [["(1, 'daily', ''::bytea,", "(1, 'daily', sha256(uuid_send(item.api_key_id)),"]],
  },
  'give-back-farmed': {
    file: 'service/database/functions/payouts/give_back_spending.sql',
    edits: [['s.spent_pence - back.pence', 'greatest(0, s.spent_pence - 3 * back.pence)']],
  },
  'london-midnight': {
    file: 'service/database/functions/platform/london_day.sql',
    edits: [
      [
        "(at at time zone 'Europe/London')::date",
        "date '2026-01-01' + (extract(epoch from at)::bigint % 1000)::integer",
      ],
    ],
  },
  'sandbox-key-reads-live': {
    file: 'service/src/activity/masking.ts',
    edits: [["return via === 'api' && environment === 'sandbox' && row.environment !== 'sandbox';", 'return false;']],
  },
  'evidence-washed': {
    file: 'service/src/access/members/invite-member.ts',
    edits: [['await recordSecurityEvent(tx, actor, done);', '']],
  },
  untraceable: {
    file: 'service/src/http/auth/origin.ts',
    edits: [
      [
        "{ network: sharedNetworkOf(ip), browser: browserFamily(headers['user-agent']) }",
        '{ network: null, browser: null }',
      ],
    ],
  },
  'read-replica': {
    file: 'service/src/access/create-api-key.ts',
    edits: [['...key, id,', '...key, label: secret, id,']],
  },
  'read-key-writes': {
    file: 'service/src/http/auth/access.ts',
    edits: [["return caller.scope === 'pay' ? undefined : new ApiError(onlyRead);", 'return undefined;']],
  },
  'key-from-foreign-network': {
    file: 'service/src/access/api-key-authenticator.ts',
    edits: [['return networks === null || isWithin(networks, address) ? key : null;', 'return key;']],
  },
  'expired-key': {
    file: identifyKey,
    edits: endlessKeys,
    also: { file: payingKey, edits: [[' and (k.expires_at is null or k.expires_at > at)', '']] },
  },
  'roll-races-revoke': {
    file: identifyKey,
    edits: [['found_key.revoked_at is not null or ', '']],
    also: { file: payingKey, edits: [[' and k.revoked_at is null', '']] },
  },
  'old-secret': {
    file: identifyKey,
    edits: endlessKeys,
    also: { file: payingKey, edits: [[' and k.previous_expires_at > at', '']] },
  },
  'operator-alone': {
    file: 'service/database/functions/payouts/operator_unfreeze_partner.sql',
    edits: [
      [":= kelpie.take_proposal(of_proposal, 'partner.unfreeze', of_partner::text, at);", ';'],
      ["proposal.detail::jsonb ->> 'reason'", "'planted'"],
    ],
  },
  'thief-stays': {
    file: 'service/src/access/signing-in/end-sessions.ts',
    edits: [['if (!(await revokeSession(tx, id, clock.now()))) return;', 'return;']],
  },
  'foreign-session-end': {
    file: 'service/src/access/signing-in/end-sessions.ts',
    edits: [["else if (person.role !== 'admin') throw new ApiError(noSuchSession);", '']],
  },
  lockout: {
    file: 'service/database/functions/access/find_browser.sql',
    edits: [['b.token_hmac = of_token_hmac', 'b.token_hmac <> of_token_hmac']],
  },
  'stolen-browser-cookie': {
    file: 'service/database/functions/access/may_guess_in_browser.sql',
    edits: [['return made <= 10;', 'return true;']],
  },
  csrf: {
    file: 'service/src/http/auth/session-cookie.ts',
    edits: [['const ownSites = new Set([', "const ownSites = new Set(['cross-site', 'same-site', "]],
  },
  'login-csrf': {
    file: 'service/src/http/auth/session-cookie.ts',
    edits: [['done(isForeign(request, ownOrigins) ? new ApiError(foreign) : undefined)', 'done()']],
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
    file: 'service/src/access/signing-in/session-to-open.ts',
    edits: [['const token = newToken();', 'const token = oldToken ?? newToken();']],
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
  'session-pays': {
    file: 'service/src/access/confirming/confirmed-transactions.ts',
    edits: [['planned.toConfirm === null ? null : ', 'planned.toConfirm !== undefined ? null : ']],
  },
  'session-takes-over': {
    file: 'service/src/access/confirming/confirmed-transactions.ts',
    edits: [['planned.toConfirm === null ? null : ', 'planned.toConfirm !== undefined ? null : ']],
  },
  'unseen-takeover': {
    file: 'service/src/access/notifying/notify-admins.ts',
    edits: [['new Set([...(await listAdminEmails(tx)), ...also])', 'new Set([...also])']],
  },
  'suspended-grows': {
    file: 'service/src/access/inactive-partner.ts',
    edits: [["if (status !== 'suspended' && status !== 'closed') return;", 'return;']],
  },
  'act-code-moved': {
    file: 'service/src/access/confirming/confirmed-transactions.ts',
    edits: [['JSON.stringify([act, business, does, facts])', 'JSON.stringify([business])']],
  },
  'act-code-raced': {
    file: 'service/database/functions/access/confirm_act.sql',
    edits: [['perform kelpie.use_confirmation(of_partner, of_session, of_act_hmac, of_email_hmac, at);', '']],
  },
  'old-act-code': {
    file: 'service/database/functions/access/judge_confirmation.sql',
    edits: [[" or newest.created_at <= at - interval '5 minutes'", '']],
  },
  'new-key-drains': {
    file: 'service/database/functions/payouts/key_limit_at.sql',
    edits: [['least(daily_limit_pence, 100000)', 'daily_limit_pence']],
  },
  'mailbox-drains': {
    file: 'service/database/functions/payouts/limits_of.sql',
    edits: [
      ['then 5000000 end', 'then 500000000 end'],
      ['then 2000000 end', 'then 500000000 end'],
    ],
  },
  'foreign-freeze': {
    file: 'service/src/platform/mail/mail-links.ts',
    edits: [['timingSafeEqual(signature, sign(each, signed))', 'signature.length > 0']],
  },
  'frozen-pays': {
    file: 'service/database/functions/payouts/payment_block.sql',
    edits: [
      [
        'where b.partner_id = of_partner and (b.environment',
        "where b.cause <> 'frozen' and b.partner_id = of_partner and (b.environment",
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
  idor: {
    file: 'service/database/functions/payouts/retrieve_changed_payouts.sql',
    edits: [
      ['p.id = item.id and p.partner_id = item.partner_id and p.environment = item.environment', 'p.id = item.id'],
    ],
  },
  'batched-reads': {
    file: 'service/database/functions/payouts/retrieve_changed_payouts.sql',
    edits: [['select item.place, p.revision', 'select item.place % cardinality(payout_ids) + 1, p.revision']],
  },
  'foreign-cursor': {
    file: 'service/database/functions/payouts/list_payout_revisions.sql',
    edits: [
      ['language plpgsql volatile', 'language plpgsql volatile security definer'],
      ['p.partner_id = of_partner and p.environment = of_environment and ', ''],
    ],
    owner: 'kelpie_payouts',
  },
  'environment-confusion': {
    file: 'service/src/http/auth/authentication.ts',
    edits: [
      [
        'return caller === null ? null : { caller, error: accessError(accessOf(request), caller), isForeign: false };',
        "return caller === null ? null : { caller: { ...caller, environment: namesLive(request) ? 'live' : caller.environment }, error: accessError(accessOf(request), caller), isForeign: false };",
      ],
    ],
  },
  'forged-addresses': {
    file: 'service/src/http/server.ts',
    edits: [['trustProxy: trustedProxies ? [...trustedProxies] : false', 'trustProxy: true']],
  },
  smuggling: {
    file: 'service/src/http/server.ts',
    edits: [['requireHostHeader: false,', 'requireHostHeader: false, insecureHTTPParser: true,']],
  },
  traversal: {
    file: 'service/src/http/pages/dashboard.ts',
    edits: [
      ["return address.includes('.') ? undefined : 'index.html';", 'return decodeURIComponent(address);'],
      [
        'const body = bodies.get(key);',
        "const body = bodies.get(key) ?? process.getBuiltinModule('node:fs').readFileSync(path.join(folder, key));",
      ],
    ],
  },
  'open-redirect': {
    file: 'service/src/http/pages/dashboard.ts',
    edits: [
      [
        'async (_request, reply) => reply.redirect(prefix, 308)',
        "async (request, reply) => reply.redirect(String(Reflect.get(Object(request.query), 'next') ?? prefix), 308)",
      ],
    ],
  },
  'slow-senders': {
    file: 'service/src/http/server.ts',
    edits: [['const requestTimeoutMs = 15_000;', 'const requestTimeoutMs = 120_000;']],
  },
  'stalled-readers': {
    file: 'service/src/http/limits/stalled-readers.ts',
    edits: [['const patienceMs = 15_000;', 'const patienceMs = 600_000;']],
  },
  'connection-flood': {
    file: 'service/src/http/limits/connection-cap.ts',
    edits: [['server.maxConnections = most;', 'server.maxConnections = most * 100;']],
  },
  'probe-flood': {
    file: 'service/src/http/limits/probe-limit.ts',
    edits: [["const wait = each.take(networkOf(request.ip)) || together.take('all');", 'const wait = 0;']],
  },
  'forged-webhooks': {
    file: 'service/src/banks/routes/webhook-limit.ts',
    edits: [['const wait = ofForgers || each.take(network);', 'const wait = 0;']],
  },
  'hostile-keys': {
    file: 'service/src/http/json-body.ts',
    edits: [['return countColons(json) !== countFields(value);', 'return false;']],
  },
  'deep-nesting': {
    file: 'service/src/http/json-body.ts',
    edits: [['if (namesAFieldTwice(text, value))', 'if (JSON.stringify(value).length === 0)']],
  },
  'slow-patterns': {
    file: 'service/src/http/schema/patterns.ts',
    edits: [["slug: '^[a-z0-9-]{2,40}$'", "slug: '^([a-z0-9-]+)+$'"]],
  },
  'mail-header-injection': {
    file: 'service/src/platform/mail/layout.ts',
    edits: [
      ["return text.replaceAll(breaking, ' ').replaceAll(/\\s+/g, ' ').trim();", 'return text;'],
      ["return word.match(new RegExp(`.{1,${lineLength}}`, 'gu')) ?? [];", 'return [word];'],
    ],
  },
  framing: {
    file: 'service/src/http/pages/dashboard.ts',
    edits: [["  `frame-ancestors 'none'`,\n", '']],
  },
  'kept-answers': {
    file: 'service/src/http/browser-headers.ts',
    edits: [["'cache-control': 'no-store'", "'cache-control': 'max-age=60'"]],
  },
  'docs-session': {
    file: 'service/src/http/pages/docs-policy.ts',
    edits: [["'sandbox allow-scripts ", "'sandbox allow-same-origin allow-scripts "]],
  },
  'turned-names': {
    file: 'service/src/http/schema/patterns.ts',
    edits: [['[^\\\\u0000\\\\p{Cs}\\\\p{Cf}]', '[^\\\\u0000\\\\p{Cs}]']],
  },
  'sheet-formulas': {
    file: 'service/src/platform/csv.ts',
    edits: [['text.replaceAll(formulaWithin, "$1\'")', 'text']],
  },
  'mail-flood-by-tags': {
    file: 'service/src/access/signing-in/mailbox.ts',
    edits: [
      ["const [name = ''] = email.slice(0, at).toLowerCase().split('+', 1);", 'const name = email.slice(0, at);'],
    ],
  },
  'sign-up-mail-flood': {
    file: 'service/src/access/signing-in/proof-of-work.ts',
    edits: [['return isCurrent && ', 'return challenge.length > 0 || isCurrent && ']],
  },
  'phishing-name': {
    file: 'service/src/access/plain-name.ts',
    edits: [
      ['return !link.test(text) && !phone.test(text);', 'return text.length + link.lastIndex + phone.lastIndex > 0;'],
    ],
  },
  'reserved-slug': {
    file: 'service/src/access/routes/reserved-slugs.ts',
    edits: [['return reserved.has(slug) || ', 'return ']],
  },
  'invitation-flood': {
    file: 'service/src/access/members/invite-member.ts',
    edits: [["if (verification !== 'approved') ", "if (verification === 'none') "]],
  },
  'unread-address': {
    file: 'service/src/partners/update-account.ts',
    edits: [['from !== null && confirmed.includes(from)', 'from !== null && confirmed.length >= 0']],
  },
  'secrets-in-logs': {
    file: 'service/src/http/request-log.ts',
    edits: [["const route = request.routeOptions.url ?? 'none';", 'const route = request.url;']],
  },
};
