const headEnd = '\r\n\r\n';

/** The answers of one connection, one after the other: of each only its head and its length, so that it costs little. */
export class AnswerReader {
  #head = '';
  #bytesLeft = 0;
  #status = 0;
  /** Of the newest answer. */
  head = '';

  /** The status of an answer that is whole by now; otherwise null. */
  read(chunk: Buffer): number | null {
    if (this.#bytesLeft > 0) this.#bytesLeft -= chunk.length;
    else if (!this.#readHead(chunk)) return null;
    return this.#bytesLeft > 0 ? null : this.#status;
  }

  /** Says whether the head is whole by now. */
  #readHead(chunk: Buffer): boolean {
    this.#head += chunk.toString('latin1');
    const end = this.#head.indexOf(headEnd);
    if (end === -1) return false;
    const length = /\ncontent-length: (\d+)/i.exec(this.#head)?.[1];
    this.#status = length === undefined ? 0 : Number(this.#head.slice(9, 12));
    this.#bytesLeft = end + headEnd.length + Number(length ?? 0) - this.#head.length;
    this.head = this.#head;
    this.#head = '';
    return true;
  }
}
