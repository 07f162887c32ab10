import type { Encryptor } from '../../platform/encryption.ts';
import type { Origin } from '../../platform/origin.ts';
import type { NewBusiness } from './new-business.ts';

// What stands beside a code until it is mailed, or used: encrypted, since it names people.

const placeOf = (codeId: string, column: 'mail_encrypted' | 'sign_up_encrypted') => ({
  table: 'sign_in_codes',
  row: codeId,
  column,
});

function textsOf(json: string): (name: string) => string | null {
  const parsed: unknown = JSON.parse(json);
  if (typeof parsed !== 'object' || parsed === null) throw new Error('what was encrypted beside a code is no object');
  return (name) => {
    const value: unknown = Reflect.get(parsed, name);
    return typeof value === 'string' ? value : null;
  };
}

function requireText(text: string | null): string {
  if (text === null) throw new Error('what was encrypted beside a code is not whole');
  return text;
}

interface MailedCode extends Origin {
  email: string;
  code: string;
}

export function encryptCode(encryptor: Encryptor, codeId: string, code: MailedCode): Buffer {
  return encryptor.encrypt(JSON.stringify(code), placeOf(codeId, 'mail_encrypted'));
}

export function openCode(encryptor: Encryptor, codeId: string, encrypted: Buffer): MailedCode {
  const text = textsOf(encryptor.decrypt(encrypted, placeOf(codeId, 'mail_encrypted')));
  const origin = { network: text('network'), browser: text('browser') };
  return { email: requireText(text('email')), code: requireText(text('code')), ...origin };
}

type EncryptedBusiness = Omit<NewBusiness, 'slug'>;

export function encryptBusiness(encryptor: Encryptor, codeId: string, { name, fullName }: EncryptedBusiness): Buffer {
  return encryptor.encrypt(JSON.stringify({ name, fullName }), placeOf(codeId, 'sign_up_encrypted'));
}

export function openBusiness(encryptor: Encryptor, codeId: string, encrypted: Buffer): EncryptedBusiness {
  const text = textsOf(encryptor.decrypt(encrypted, placeOf(codeId, 'sign_up_encrypted')));
  return { name: requireText(text('name')), fullName: text('fullName') };
}
