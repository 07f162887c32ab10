import type { Sealer } from '../../platform/sealing.ts';
import type { NewBusiness } from './new-business.ts';

// What stands beside a code until it is mailed, or used: sealed, since it names people.

const placeOf = (codeId: string, column: 'mail_sealed' | 'sign_up_sealed') => ({
  table: 'sign_in_codes',
  row: codeId,
  column,
});

function textsOf(json: string): (name: string) => string | null {
  const parsed: unknown = JSON.parse(json);
  if (typeof parsed !== 'object' || parsed === null) throw new Error('what was sealed beside a code is no object');
  return (name) => {
    const value: unknown = Reflect.get(parsed, name);
    return typeof value === 'string' ? value : null;
  };
}

function requireText(text: string | null): string {
  if (text === null) throw new Error('what was sealed beside a code is not whole');
  return text;
}

interface MailedCode {
  email: string;
  code: string;
}

export function sealCode(sealer: Sealer, codeId: string, { email, code }: MailedCode): Buffer {
  return sealer.seal(JSON.stringify({ email, code }), placeOf(codeId, 'mail_sealed'));
}

export function openCode(sealer: Sealer, codeId: string, sealed: Buffer): MailedCode {
  const text = textsOf(sealer.open(sealed, placeOf(codeId, 'mail_sealed')));
  return { email: requireText(text('email')), code: requireText(text('code')) };
}

type SealedBusiness = Omit<NewBusiness, 'slug'>;

export function sealBusiness(sealer: Sealer, codeId: string, { name, fullName }: SealedBusiness): Buffer {
  return sealer.seal(JSON.stringify({ name, fullName }), placeOf(codeId, 'sign_up_sealed'));
}

export function openBusiness(sealer: Sealer, codeId: string, sealed: Buffer): SealedBusiness {
  const text = textsOf(sealer.open(sealed, placeOf(codeId, 'sign_up_sealed')));
  return { name: requireText(text('name')), fullName: text('fullName') };
}
