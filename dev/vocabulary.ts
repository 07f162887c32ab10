// Names that the project has given up for the field's own word. One concept, one word: a name that comes back is a second one.

interface RetiredName {
  retired: RegExp;
  use: string;
}

/** Anywhere: in code, comments, SQL, docs and the names of files. */
export const retiredEverywhere: readonly RetiredName[] = [
  {
    retired: /\bPartnerSide\b|\b\w*[a-z]Sides?(AtBanks?|ToFund|Row|Run)\b|\b(list|reconciled)_sides?\w*/,
    use: 'partner environment',
  },
  {
    retired: /\/(edge|following|creating|operating|shown|batches|people)\//,
    use: 'routes, lifecycle, creation, admin, format',
  },
  {
    retired: /\bfollow(Payment|Deposit|Wallet|Verifications?)\b|\bFollower\b/,
    use: 'applyPaymentUpdate, applyDepositUpdate, refresh…',
  },
  { retired: /\bmove_payouts?\b|\brefuse_illegal_(deposit_)?move\b/, use: 'apply_transitions, …_transition' },
  {
    retired: /\bhint(ed)?(_[a-z_]+|Payout|Deposit|Verification|edPaymentId|PaymentId)\b/,
    use: 'wake_…, webhook_payment_id',
  },
  {
    retired: /\btake(Webhook|Deposit|Verification)\b|\btake_verification\b/,
    use: 'receiveWebhook, applyDeposit, applyVerification',
  },
  { retired: /\bcombineWords\b|\bDepositWord\b/, use: 'mergeDepositEvents, DepositEvent' },
  {
    retired: /\blook-(again|back|for-old-cases)\b|\bnextLook\w*|\blookForOldCases\b|\blook_back_\w+/,
    use: 'poll schedule, backfill, nextPollAt, recheckOpenCases',
  },
  {
    retired: /\bopen_payouts\w*|\b(give_back|take)_open_payouts?\b|\bgiveBackOpenPayout\b/,
    use: 'payout_leases, release_payout_lease, claim_due_payouts',
  },
  { retired: /\bRefusal(Code|Parts|s)?\b/, use: 'ApiError' },
  { retired: /\binsistOn\w*|\binsist_on_\w+/, use: 'assert…, require…' },
  { retired: /\bkelpie\.enter\b(?!_)/, use: 'kelpie.set_partner_context' },
  {
    retired: /\b(create)?Sealer\b|\b\w+_sealed\b|\b[a-z]\w*Sealed\b|\bsealing\b/,
    use: 'Encryptor, …_encrypted, encryption',
  },
  { retired: /\b(create)?[kK]eyring\b/, use: 'API-key authenticator' },
  { retired: /\bshort-memory\b|\b(create)?ShortMemory\b/, use: 'TTL cache' },
  { retired: /\bgoOn\b|\bcrashAt\b|\bcrash-points?\b|\bReachPoint\b|\bwithCrashPoints\b/, use: 'failpoints' },
  {
    retired: /commands\/(frame|teaching)\b|\bteachGroup\b|\bLookingOptions\b|\bActingOptions\b|\bactOnce\b/,
    use: 'run-command, help, readCommand, writeCommand, runAudited',
  },
  { retired: /\b(list|find)?Operated[A-Z]\w*|\boperated-jobs\b/, use: 'Admin…' },
  {
    retired: /\b(read|describe)Story\b|\bstoryForPrograms\b|\/story\.ts\b|\bapp\/describe\.ts\b/,
    use: 'audit trail, print-openapi.ts',
  },
  {
    retired:
      /\b\w*bank_took\w*|\bbankTook\b|\b\w*bank_shares?\w*|\bbankShare\w*|\bwallet_sends_micro\w*|\bwalletSends\b/,
    use: 'bank_debited, provider_fee, wallet_debit',
  },
  {
    retired: /\btell-(admins|of-step)\b|\btell(Admins|OfStep)\b|\bnoted-deeds\b|\btold_at\b|\btoldAt\b/,
    use: 'notifyAdmins, notified_at, recorded',
  },
  {
    retired:
      /\b\w+-words\.tsx?\b|\b[a-z]+(Status|line|method)Words\b|\bMatter\b|\bEntrance\b|\bLeftOrder\b|\bleft-order\b|\baskEarly\b/,
    use: 'labels, AttentionItem, AuthLayout, UnresolvedPayout, prefetch',
  },
  { retired: /\baskForCode\b|\benterAccount\b|\bmembers\.change\b/, use: 'requestCode, switchAccount, members.update' },
  { retired: /\bpayouts ask\b|\bpayout\.ask\b/, use: 'payouts refresh' },
];

/** As a name in code. In a sentence some of them are plain English. */
export const retiredInCode: readonly RetiredName[] = [
  { retired: /\b[sS]ides?\b/, use: 'partnerEnvironment' },
  { retired: /\b(Move|Learned|learned|Hint|hinted)\b/, use: 'Transition, BankFacts, webhook' },
  { retired: /\b(parts|[A-Z]\w+Parts)\b/, use: 'deps, …Deps' },
  { retired: /\b(told|noted|Told|Noted)\b/, use: 'notified, reported, recorded' },
  { retired: /\b(reach|teach|Lesson|looking|acting|operating|story|seal|sealer)\b/, use: 'the field’s own word' },
];
