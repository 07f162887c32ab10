import { timingSafeEqual } from 'node:crypto';
import { instantOf } from '../ids.ts';
import type { KeyedDigest, VersionedDigest } from '../keyed-digest.ts';

/** One email to one recipient about one partner. */
interface AddressedMail {
  partnerId: string;
  mailId: string;
  email: string;
}

interface ReadLink {
  partnerId: string;
  isFor: (email: string) => boolean;
}

export interface MailLinks {
  linkFor(mail: AddressedMail): string;
  /** Null for a token that is not ours, or is older than seven days. */
  read(token: string, now: Date): ReadLink | null;
}

const validForMs = 7 * 24 * 3_600_000;
const idLength = 16;
const digestLength = 32;
const signedLength = 2 * idLength + digestLength;

function idBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

function idFrom(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function personOf(digest: KeyedDigest, email: string): Buffer {
  return digest(`person|${email}`);
}

function sign(digest: KeyedDigest, signed: Buffer): Buffer {
  return digest(`link|${signed.toString('hex')}`);
}

/**
 * Links by which whoever got an email shows that they did. A token is signed and not stored: it holds the partner, the
 * email's id, which says when it was sent, and a keyed digest of the address. `pageOf` puts it into the fragment of a URL,
 * which browsers send to no server. Each use has a digest of its own, so that no token serves another.
 */
export function createMailLinks({ newest, earlier }: VersionedDigest, pageOf: (token: string) => string): MailLinks {
  return {
    linkFor({ partnerId, mailId, email }) {
      const signed = Buffer.concat([idBytes(partnerId), idBytes(mailId), personOf(newest, email)]);
      const token = Buffer.concat([signed, sign(newest, signed)]).toString('base64url');
      return pageOf(token);
    },
    read(token, now) {
      const bytes = Buffer.from(token, 'base64url');
      if (bytes.length !== signedLength + digestLength) return null;
      const signed = bytes.subarray(0, signedLength);
      const signature = bytes.subarray(signedLength);
      const digest = [newest, ...earlier].find((each) => timingSafeEqual(signature, sign(each, signed)));
      if (digest === undefined) return null;
      const sentAt = instantOf(idFrom(signed.subarray(idLength, 2 * idLength)));
      if (now.getTime() >= sentAt.getTime() + validForMs) return null;
      const person = signed.subarray(2 * idLength);
      return {
        partnerId: idFrom(signed.subarray(0, idLength)),
        isFor: (email) => timingSafeEqual(person, personOf(digest, email)),
      };
    },
  };
}
