// Where `kelpie listen` stands, in a file: a process that is killed goes on behind the last event that was accepted.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseJson, textOf, valueOf } from '../../json.ts';
import { CommandError } from '../command-error.ts';
import { writePrivately } from '../settings.ts';

export interface Place {
  /** In each message as the id of the endpoint. */
  webhookId: string;
  /** The last event that needs no forwarding. */
  sequence: number;
  /** The last event that was forwarded; null before the first. */
  previous: number | null;
}

export interface PlaceFile {
  file: string;
  read(): Place | undefined;
  write(place: Place): void;
}

/** One place per account, environment and receiver. A rolled key keeps it. */
export function placeFile(folder: string, identity: readonly string[]): PlaceFile {
  const name = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 16);
  const file = path.join(folder, `listen-${name}.json`);
  return {
    file,
    read() {
      if (!existsSync(file)) return undefined;
      const json = parseJson(readFileSync(file, 'utf8'));
      const [webhookId, sequence, previous] = [
        textOf(json, 'webhook_id'),
        valueOf(json, 'sequence'),
        valueOf(json, 'previous'),
      ];
      if (
        webhookId !== undefined &&
        typeof sequence === 'number' &&
        (typeof previous === 'number' || previous === null)
      )
        return { webhookId, sequence, previous };
      const message = `${file} cannot be read. Delete it, and pass --after with the number of the last event that you have.`;
      throw new CommandError('data', 'place_unreadable', message);
    },
    write({ webhookId, sequence, previous }) {
      writePrivately(file, `${JSON.stringify({ webhook_id: webhookId, sequence, previous })}\n`);
    },
  };
}

export function newPlace(sequence: number): Place {
  return { webhookId: randomUUID(), sequence, previous: null };
}
