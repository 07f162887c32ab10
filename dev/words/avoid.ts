// Words and phrases that readers have to translate, each with what to write instead. They apply to what people read: docs,
// the API reference, errors, emails, screens, command help and pages. Code in backticks is left out.

export interface Avoided {
  words: RegExp;
  use: string;
}

/** Subjects and passives that hide who acts. */
const whoActs: readonly Avoided[] = [
  { words: /\b(?:no|some)body\b|\bwho(?:m)?ever\b/i, use: 'name who acts: you, we, the bank, an admin' },
  { words: /\btold\b/i, use: 'we email you, the API returns, the log records' },
  { words: /\b(?:is|are|was|were|be|been|being) noted\b|\bnoted (?:as|by|down|in|where)\b/i, use: 'recorded' },
  { words: /\blook(?:s|ed|ing)? after\b/i, use: 'manage, or name the work' },
  { words: /\b(?:is|are|was|were|be|been|being) looked (?:at|for|into)\b/i, use: 'check, search; say who does it' },
  { words: /\b(?:of|fault) ours\b/i, use: 'our' },
  { words: /\bwhom\b/i, use: 'who, or name them: recipients, members' },
];

/** The field's word instead of a description of it. */
const standardTerms: readonly Avoided[] = [
  { words: /(?<![-/.\w])e?-?mails? (?:is|are|was|were) posted\b/i, use: 'sent' },
  { words: /(?<![-/.@\w])(?:mails?|mailed|e-mails?)(?![-/.@\w]*\w)/i, use: 'email' },
  { words: /\bmend(?:s|ed|ing)?\b/i, use: 'fix' },
  { words: /\bnot to be had\b/i, use: 'unavailable' },
  { words: /\bnot right\b/i, use: 'invalid, wrong; or say what it must be' },
  { words: /\b(?:must be|is|as) a text\b|\ba text of\b/i, use: 'a string' },
  { words: /\bcan not\b/i, use: 'cannot' },
  { words: /\bcame\b/i, use: 'received, returned, arrived' },
  { words: /^Made\b/, use: 'Created' },
  {
    words:
      /\b(?:accounts?|databases?|invoices?|jobs?|keys?|members?|partners?|payouts?|plans?|sessions?) (?:that )?(?:is|are|was|were|be|been) made\b/i,
    use: 'created',
  },
  {
    words: /\bmak(?:e|es|ing) (?:an?|another|more|new) (?:api |live |sandbox |new )?(?:accounts?|keys?|partners?)\b/i,
    use: 'create',
  },
  {
    words: /\b(?:code|link|month|period|session|trial|week|year) (?:is|was|has been) over\b|\bor over\b/i,
    use: 'expired, ended',
  },
  { words: /\blog of (?:the )?operators\b|\boperators[’']s? log\b/i, use: 'audit log' },
  {
    words: /\b(?:whole|payout[’']?s?) story\b|\bstory of (?:a|one|the) (?:payout|case|deposit)\b/i,
    use: 'history, audit trail',
  },
  { words: /\b(?:a|each) (?:second|minute|hour|day) and (?:key|address|person)\b/i, use: 'per second per key' },
  { words: /\ba dollar\b/i, use: '1 USDC = £0.79' },
  { words: /\b(?:your|the) papers\b/i, use: 'invoices; documents' },
  { words: /\breckon(?:s|ed|ing)?\b/i, use: 'calculate' },
  { words: /\bbroken off\b/i, use: 'interrupted' },
];

/** Idiom that is no English idiom, most of it from the table of the voice guide. */
const idiom: readonly Avoided[] = [
  { words: /\blet (?:a person|people|somebody|them|it) (?:in|go on)\b/i, use: 'Invite a member; Keep payout' },
  { words: /\bin no more\b/i, use: 'Remove a member' },
  { words: /\bcame to where it is\b|\bhow it came about\b/i, use: 'history; how it happened' },
  { words: /\bwhat the wallet (?:holds|keeps)\b/i, use: 'the balance' },
  { words: /\bwhat is behind\b/i, use: 'List invoice items' },
  { words: /\bhave a code\b/i, use: 'Send a sign-in code' },
  { words: /\bis understood\b/i, use: 'defaults to' },
  { words: /\bas good as none\b/i, use: 'returns 404' },
  { words: /\bwrite to us\b/i, use: 'Contact support, with its address' },
  { words: /\bat the same just now\b|\bjust now\b/i, use: 'Locked by another operation; now' },
  { words: /\bleft to be\b/i, use: 'No further action is scheduled.' },
  { words: /\bas it should(?: be)?\b/i, use: 'You’re all caught up.' },
  { words: /\bread again since\b/i, use: 'Last updated 22:42. Reconnecting…' },
  {
    words: /\b(?:are|is) the (?:most|least)\b|\bthe (?:most|least) (?:is|are)\b/i,
    use: 'Use at most 80 characters. Minimum £3.00',
  },
  { words: /\b(?:this|that) is no (?!longer\b)/i, use: 'Enter a valid email address' },
  { words: /(?:^|[.:;!?] )Say\b/, use: 'Enter, Use, Specify' },
  { words: /\bshall\b/i, use: 'must, will' },
  { words: /\bto see one fail\b/i, use: 'Test a failure' },
  { words: /^As the system$/i, use: 'System' },
  { words: /\bfor it alone\b/i, use: 'a fresh stack' },
  { words: /\bthe same of the same\b/i, use: 'Pure function.' },
  { words: /\bhow it stands\b|\bstands in the log\b/i, use: 'its status; audit log entry 3' },
];

export const avoided: readonly Avoided[] = [...whoActs, ...standardTerms, ...idiom];

interface Allowed {
  /** A file or a folder, from the root of the project. */
  path: string;
  text: RegExp;
  reason: string;
}

export const allowed: readonly Allowed[] = [
  {
    path: 'ARCHITECTURE.md',
    text: /^## Who may import whom$/,
    reason: 'the usual name of this rule, and links lead to it',
  },
];
