import { canaries, canaryNames } from './values.ts';

// Finds what must never be said in a text: by its form, so that whatever a test creates is known, and by its value where a
// form says nothing. In clear, percent-encoded, with JSON's escapes, in hex and in base64.

const names = canaryNames.join('|');

/** The first letters that a person or a machine needs to recognise one; digits stand alone, or they are part of an id. */
const forms: Readonly<Record<string, RegExp>> = {
  'an API key': /kp_(?:sandbox|live)_[a-f0-9]{9}/i,
  'a webhook secret': /whsec_[a-z0-9+/]{9}/i,
  'a session cookie': /__Host-kelpie_\w+=[a-f0-9]/i,
  'a private key': /-----BEGIN [A-Z ]*PRIVATE KEY/i,
  'a password in an address': /\b[a-z][a-z+]*:\/\/[^\s/:@"]*:[^\s/@"]+@/i,
  'a digest or a key of 32 bytes': /(?<![a-z0-9+/=])(?:[a-f0-9]{64}|[a-z0-9+/]{43}=)(?![a-z0-9+/=])/i,
  // Our own support address is in errors that say whom to ask.
  'an email address': /(?<![\w+.-])(?!support@)[\w+.-]+@(?:[a-z0-9-]+\.)+[a-z]{2,}/i,
  'the name of a recipient': new RegExp(names, 'i'),
  'the address of a recipient': new RegExp(canaries.line1, 'i'),
  'a sort code': digitsAlone(canaries.sortCode.replace(/(..)(..)(..)/, '$1[- ]?$2[- ]?$3')),
  'an account number': digitsAlone(canaries.accountNumber),
};

function digitsAlone(digits: string): RegExp {
  return new RegExp(`(?<![0-9a-f.-])${digits}(?![0-9a-f-])`);
}

/** Nearly every line has none of them: one look is enough to know. */
const anyForm = anyOf(Object.values(forms));

function anyOf(patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'), 'i');
}

/** The letters that stand for this text within a longer base64 text, wherever in it the text begins. */
function base64Of(text: string): string[] {
  const encoded = [0, 1, 2].map((before) => {
    const letters = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]).toString('base64');
    return letters.slice(Math.ceil((before * 8) / 6), Math.floor(((before + text.length) * 8) / 6));
  });
  return encoded.flatMap((letters) => [letters, letters.replaceAll('+', '-').replaceAll('/', '_')]);
}

function encodedForm(...texts: string[]): RegExp {
  const letters = texts.flatMap((text) => base64Of(text).concat(Buffer.from(text).toString('hex')));
  return new RegExp(letters.map((each) => each.replaceAll('+', '\\+')).join('|'));
}

const encodedForms: Readonly<Record<string, RegExp>> = {
  'an encoded API key': encodedForm('kp_sandbox_', 'kp_live_'),
  'an encoded webhook secret': encodedForm('whsec_'),
  'an encoded session cookie': encodedForm('__Host-kelpie_'),
  'an encoded email address': encodedForm('@people.test', canaries.email),
  'the encoded name of a recipient': encodedForm(...canaryNames),
  'the encoded address of a recipient': encodedForm(canaries.line1),
  'an encoded sort code': encodedForm(canaries.sortCode),
  'an encoded account number': encodedForm(canaries.accountNumber),
};
const anyEncodedForm = new RegExp(
  Object.values(encodedForms)
    .map(({ source }) => source)
    .join('|'),
);

/** Codes and tokens, by themselves and in base64. */
const planted = new Map<string, string>();

/** From here on a text may not say this code or token, which no form gives away. */
export function plantCanary(kind: string, value: string): void {
  planted.set(value, kind);
  planted.set(Buffer.from(value).toString('base64url'), `${kind}, encoded`);
}

function* plantedIn(text: string): Generator<string> {
  if (planted.size === 0) return;
  for (const [word] of text.matchAll(/[\w-]+(?:\.[\w-]+)*/g)) {
    const kind = planted.get(word);
    if (kind !== undefined) yield kind;
  }
}

/** A secret of a process, to be found within a word too. */
export interface SecretSetting {
  variable: string;
  value: string;
}

const encodingsOf = new Map<string, readonly string[]>();

function secretForms(value: string): readonly string[] {
  const known = encodingsOf.get(value) ?? [value, ...base64Of(value), Buffer.from(value).toString('hex')];
  encodingsOf.set(value, known);
  return known;
}

/** A place in the code is no text from outside, and may have the form of an address: `pg-boss@12.1.0-rc.two`. */
const codePlace = /(?:file|node):\S+/g;

function decode(text: string): string {
  const unescaped = text.includes('\\u')
    ? text.replaceAll(/\\+u([0-9a-f]{4})/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    : text;
  return unescaped.includes('%')
    ? unescaped.replaceAll(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    : unescaped;
}

function kindsIn(text: string, kinds: Readonly<Record<string, RegExp>>): string[] {
  return Object.entries(kinds)
    .filter(([, form]) => form.test(text))
    .map(([kind]) => kind);
}

/** What a program may not even print for the person who started it. */
export function findSecrets(text: string, secrets: readonly SecretSetting[]): string[] {
  const decoded = decode(text);
  const said = secrets.filter(({ value }) => secretForms(value).some((form) => decoded.includes(form)));
  return [...said.map(({ variable }) => `the value of ${variable}`), ...plantedIn(decoded)];
}

/** The kinds of what this text says and may not, without the values. */
export function findCanaries(text: string, secrets: readonly SecretSetting[] = []): string[] {
  const decoded = decode(text).replaceAll(codePlace, '');
  return [
    ...findSecrets(decoded, secrets),
    ...(anyForm.test(decoded) ? kindsIn(decoded, forms) : []),
    ...(anyEncodedForm.test(decoded) ? kindsIn(decoded, encodedForms) : []),
  ];
}
