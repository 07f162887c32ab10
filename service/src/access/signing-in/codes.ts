import { randomInt } from 'node:crypto';
import type { KeyedDigest } from '../../platform/keyed-digest.ts';
import { mailboxOf } from './mailbox.ts';

/** Six digits, each as likely as any other. */
export function newCode(): string {
  return randomInt(1_000_000).toString().padStart(6, '0');
}

/** How long a code is good. The database keeps to it. */
export const codeMs = 10 * 60_000;

/** The same address, however it was typed. */
export function normalEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** What is kept of addresses that are guessed at, and of codes. Neither can be told from it without the key. */
export interface CodeDigests {
  ofEmail(email: string): Buffer;
  /** The same for every address that most likely reaches the same mailbox. */
  ofMailbox(email: string): Buffer;
  /** Bound to what the code is for: the same six digits for something else are another code. */
  ofCode(purpose: string, code: string): Buffer;
}

export function createCodeDigests(digest: KeyedDigest): CodeDigests {
  return {
    ofEmail: (email) => digest(`address|${email}`),
    ofMailbox: (email) => digest(`mailbox|${mailboxOf(email)}`),
    ofCode: (purpose, code) => digest(`code|${purpose}|${code}`),
  };
}
