/** Where the files of the archive are. A file is written once, under a name that no other had, and never changed. */
export interface ArchiveStore {
  /** It is kept, whole, when this returns; and not there at all where it fails. */
  write(name: string, pieces: AsyncIterable<Uint8Array>): Promise<void>;
  /** Fewer bytes where the file ends before. */
  read(name: string, range: { offset: number; length: number }): Promise<Buffer>;
  readWhole(name: string): Promise<Buffer>;
  /** What is not there stays so. */
  remove(name: string): Promise<void>;
}

/** A file that cannot be read, or is not what was written. Names no more than files and places. */
export class ArchiveUnreadable extends Error {
  override readonly name = 'ArchiveUnreadable';
}
