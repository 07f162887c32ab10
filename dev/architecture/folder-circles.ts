import path from 'node:path';

interface ReadModule {
  source: string;
  dependencies: readonly { resolved: string }[];
}

/** A module is entered by these files. Nothing inside it imports them, so they belong to no folder of it. */
const entries = /^service\/src\/[^/]+\/(index|jobs)\.ts$/;
const counted = /^service\/src\/.*(?<!\.test)\.ts$/;

function folderOf(file: string): string {
  return entries.test(file) ? file : path.posix.dirname(file);
}

type Imports = ReadonlyMap<string, ReadonlySet<string>>;

function readImports(modules: readonly ReadModule[]): Imports {
  const imports = new Map<string, Set<string>>();
  for (const { source, dependencies } of modules.filter((module) => counted.test(module.source))) {
    const from = folderOf(source);
    const others = imports.get(from) ?? new Set();
    imports.set(from, others);
    for (const { resolved } of dependencies)
      if (counted.test(resolved) && folderOf(resolved) !== from) others.add(folderOf(resolved));
  }
  return imports;
}

/** The shortest way from a folder back to itself; undefined where there is none. */
function wayBack(imports: Imports, start: string): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const waiting = [start];
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift())
    for (const next of imports.get(folder) ?? []) {
      if (next === start) return wayTo(cameFrom, start, folder);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, folder);
      waiting.push(next);
    }
  return undefined;
}

function wayTo(cameFrom: ReadonlyMap<string, string>, start: string, end: string): string[] {
  const way = [end];
  for (let at = end; at !== start;) {
    at = cameFrom.get(at) ?? start;
    way.unshift(at);
  }
  return way;
}

/** Folders of the service that import each other in a circle: each circle once, as the way round it. */
export function findFolderCircles(modules: readonly ReadModule[]): string[] {
  const imports = readImports(modules);
  const found = new Map<string, string>();
  for (const folder of [...imports.keys()].toSorted()) {
    const way = wayBack(imports, folder);
    if (way === undefined) continue;
    const name = way.toSorted().join(' ');
    if (!found.has(name)) found.set(name, [...way, folder].join(' → '));
  }
  return [...found.values()];
}
