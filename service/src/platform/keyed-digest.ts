import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';

/** Thirty-two bytes that tell whether two texts are the same, and nothing of either to whoever lacks the key. */
export type KeyedDigest = (text: string) => Buffer;

/** One key's digests for new rows, and those of the keys before, by which rows are recognised until they have been changed. */
export interface VersionedDigest {
  newest: KeyedDigest;
  earlier: readonly KeyedDigest[];
}

/** By version. The first is the newest. */
export function createVersionedDigest(keys: ReadonlyMap<number, Buffer>, purpose: string): VersionedDigest {
  const [newest, ...earlier] = Array.from(keys.values(), (key) => createKeyedDigest(key, purpose));
  if (newest === undefined) throw new Error('there is no key to digest with');
  return { newest, earlier };
}

/** Each purpose has a key of its own, made from the one that is configured: digests of one say nothing about another's. */
export function createKeyedDigest(masterKey: Buffer, purpose: string): KeyedDigest {
  // As an object of the engine's: bytes would be made into one at every digest, which costs far more than the digest.
  const key = createSecretKey(new Uint8Array(hkdfSync('sha256', masterKey, '', `kelpie ${purpose}`, 32)));
  return (text) => createHmac('sha256', key).update(text).digest();
}
