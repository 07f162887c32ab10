// What the receiver knows, in a file that survives it.
import { DatabaseSync } from 'node:sqlite';
import type { Kelpie, Event } from '@kelpie/sdk';

export interface Store {
  /** Counts an event once, whenever and however often it arrives. */
  apply(event: Event): void;
  has(sequence: number): boolean;
  /** Reads from the feed what no webhook has brought, for example while this program was down. */
  catchUp(kelpie: Kelpie): Promise<void>;
}

export function openStore(file: string): Store {
  const db = new DatabaseSync(file);
  db.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    create table if not exists events (id text primary key, sequence integer not null unique, type text not null);
    create table if not exists payouts (id text primary key, status text not null, version integer not null);
    create table if not exists feed (sequence integer not null);
    insert into feed select 0 where not exists (select 1 from feed);
  `);
  const addEvent = db.prepare('insert into events values (?, ?, ?) on conflict (id) do nothing');
  // An older event that arrives late changes nothing: its version is lower.
  const setPayout = db.prepare(`
    insert into payouts values (?, ?, ?) on conflict (id) do update
    set status = excluded.status, version = excluded.version where excluded.version > payouts.version`);
  const findEvent = db.prepare('select 1 from events where sequence = ?');
  const readFeed = db.prepare('select sequence from feed');
  const moveFeed = db.prepare('update feed set sequence = ?');

  function apply(event: Event): void {
    // One transaction: after a crash, either all of it is there or none.
    db.exec('begin immediate');
    try {
      const { changes } = addEvent.run(event.id, event.sequence, event.type);
      if (changes === 1 && 'object' in event.data && event.data.object === 'payout') {
        setPayout.run(event.data.id, event.data.status, event.version);
        console.log(event.sequence, event.type, event.data.id); // your own work goes here
      }
      db.exec('commit');
    } catch (error) {
      db.exec('rollback');
      throw error;
    }
  }

  return {
    apply,
    has: (sequence) => findEvent.get(sequence) !== undefined,
    async catchUp(kelpie) {
      const after = Number(readFeed.get()?.['sequence']);
      for await (const event of kelpie.events.listAll({ after })) {
        apply(event);
        moveFeed.run(event.sequence);
      }
    },
  };
}
