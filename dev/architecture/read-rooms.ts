import assert from 'node:assert/strict';
import { cruise, type IReporterOutput } from 'dependency-cruiser';
import { options } from './rules.ts';

/** How many imports there are from one name to another. */
export interface Imports {
  from: string;
  to: string;
  count: number;
  /** Part of a circle: the importer can be reached from what it imports. */
  isCircular: boolean;
}

/** A folder inside a module, its index.ts or jobs.ts, or the rest of the files beside them. */
interface Folder {
  name: string;
  files: number;
}

export interface Room {
  name: string;
  files: number;
  /** In layers: unless there is a circle, a folder imports only folders after it. */
  folders: Folder[];
  imports: Imports[];
}

export interface Rooms {
  /** In layers too, from the top. */
  rooms: Room[];
  imports: Imports[];
}

const sources = /^service\/src\/([^/]+)\/(.+\.ts)$/;
/** These import the module's folders. The files beside them are imported by the folders. */
const standAlone = new Set(['index.ts', 'jobs.ts']);

interface Place {
  room: string;
  folder: string;
}

function placeOf(file: string): Place | undefined {
  const [, room, rest] = sources.exec(file) ?? [];
  if (room === undefined || rest === undefined || rest.endsWith('.test.ts')) return undefined;
  const [first = '', ...deeper] = rest.split('/');
  return { room, folder: deeper.length > 0 ? `${first}/` : standAlone.has(first) ? first : 'files' };
}

class Counts {
  private readonly counts = new Map<string, Map<string, number>>();

  add(from: string, to: string): void {
    const row = this.counts.get(from) ?? new Map<string, number>();
    this.counts.set(from, row.set(to, (row.get(to) ?? 0) + 1));
  }

  private reachableFrom(start: string): Set<string> {
    const found = new Set<string>();
    const next = [start];
    for (let name = next.pop(); name !== undefined; name = next.pop())
      for (const to of this.counts.get(name)?.keys() ?? [])
        if (!found.has(to)) {
          found.add(to);
          next.push(to);
        }
    return found;
  }

  list(): Imports[] {
    return [...this.counts].flatMap(([from, row]) =>
      Array.from(row, ([to, count]) => ({ from, to, count, isCircular: this.reachableFrom(to).has(from) })),
    );
  }
}

/** More than all imports of a circle together, so an import outside a circle is never reversed. */
const neverReversed = 1_000_000;

/** Importers come before what they import. A circle is broken where that reverses the fewest imports. */
function inLayers(names: readonly string[], imports: readonly Imports[]): string[] {
  const left = new Set(names.toSorted());
  const ordered: string[] = [];
  while (left.size > 0) {
    const reversedBy = (name: string): number =>
      imports
        .filter(({ from, to }) => to === name && left.has(from))
        .reduce((sum, { count, isCircular }) => sum + (isCircular ? count : neverReversed), 0);
    const [next = ''] = [...left].toSorted((one, other) => reversedBy(one) - reversedBy(other));
    left.delete(next);
    ordered.push(next);
  }
  return ordered;
}

async function readFiles(checkout: string): Promise<{ file: string; imported: string[] }[]> {
  const { output }: IReporterOutput = await cruise(['service/src'], { ...options, baseDir: checkout });
  assert(typeof output === 'object', 'the tree was not read');
  return output.modules.map(({ source, dependencies }) => ({
    file: source,
    imported: dependencies.map(({ resolved }) => resolved),
  }));
}

function countFiles(places: readonly Place[], { room, folder }: Partial<Place>): number {
  return places.filter((place) => place.room === room && (folder === undefined || place.folder === folder)).length;
}

/** The modules of the service in a checkout, the folders inside each, and who imports whom. */
export async function readRooms(checkout: string): Promise<Rooms> {
  const between = new Counts();
  const inside = new Map<string, Counts>();
  const places: Place[] = [];
  for (const { file, imported } of await readFiles(checkout)) {
    const from = placeOf(file);
    if (from === undefined) continue;
    places.push(from);
    const counts = inside.get(from.room) ?? new Counts();
    inside.set(from.room, counts);
    for (const to of imported.map(placeOf)) {
      if (to === undefined) continue;
      if (to.room !== from.room) between.add(from.room, to.room);
      else if (to.folder !== from.folder) counts.add(from.folder, to.folder);
    }
  }
  const imports = between.list();
  const rooms = inLayers([...inside.keys()], imports).map((name): Room => {
    const own = inside.get(name)?.list() ?? [];
    const folders = new Set(places.filter(({ room }) => room === name).map(({ folder }) => folder));
    return {
      name,
      files: countFiles(places, { room: name }),
      folders: inLayers([...folders], own).map((folder) => ({
        name: folder,
        files: countFiles(places, { room: name, folder }),
      })),
      imports: own,
    };
  });
  return { rooms, imports };
}
