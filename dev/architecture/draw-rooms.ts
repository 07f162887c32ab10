// npm run rooms: draws the modules of the service, the folders inside each, and who imports whom, as docs/rooms.svg.
// `-- --checkout DIR --out FILE` draws another checkout.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { projectFolder } from '../project.ts';
import { readRooms, type Imports, type Room, type Rooms } from './read-rooms.ts';

const ink = '#1f2933';
const muted = '#6b7785';
const allowed = '#4a7fb5';
const quiet = '#c3ced9';
/** Most modules import these, so their arrows stay in the background. */
const everybodys = new Set(['platform', 'money', 'http']);
/** A module's index.ts imports what it exports to others, which says little about layers. */
const face = '#9fb0c0';
const circular = '#d0342c';
const paper = '#f6f8fa';

const margin = 24;
const left = margin + 150;
const partGap = 34;
const roomGap = 16;
const headerHeight = 92;
const partHeight = 34;
const captionHeight = 20;
const laneWidth = 23;

interface PlacedFolder {
  center: number;
  width: number;
}

interface PlacedRoom {
  room: Room;
  top: number;
  height: number;
  foldersTop: number;
  folders: Map<string, PlacedFolder>;
  width: number;
}

function textWidth(content: string, size: number): number {
  return content.length * size * 0.58;
}

function strokeWidth(count: number): number {
  return Math.min(5.5, 0.7 + 0.5 * Math.sqrt(count));
}

function escape(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

interface TextStyle {
  x: number;
  y: number;
  size?: number;
  fill?: string;
  anchor?: 'start' | 'middle' | 'end';
  bold?: boolean;
}

function text(content: string, { x, y, size = 13, fill = ink, anchor = 'start', bold = false }: TextStyle): string {
  const weight = bold ? ' font-weight="600"' : '';
  return `<text x="${x}" y="${y}" font-size="${size}" fill="${fill}" text-anchor="${anchor}"${weight}>${escape(content)}</text>`;
}

function arrowMarker(name: string, colour: string): string {
  return `<marker id="${name}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="11" markerHeight="11" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 10 5 0 10z" fill="${colour}"/></marker>`;
}

const markers = new Map([
  [allowed, 'allowed'],
  [quiet, 'quiet'],
  [face, 'face'],
  [circular, 'circular'],
]);

function arrow(line: string, colour: string, { from, to, count }: Imports): string {
  const title = `<title>${escape(`${from} → ${to}: ${count}`)}</title>`;
  return `<path d="${line}" fill="none" stroke="${colour}" stroke-width="${strokeWidth(count).toFixed(1)}" marker-end="url(#${markers.get(colour)})">${title}</path>`;
}

/** How many folders an arrow spans. Positive runs to the right, above the folders; negative to the left, below them. */
function spanOf(room: Room, { from, to }: Imports): number {
  const names = room.folders.map(({ name }) => name);
  return names.indexOf(to) - names.indexOf(from);
}

function arcHeight(span: number): number {
  return span === 1 ? 0 : 12 + 12 * (Math.abs(span) - 1);
}

function placeRoom(room: Room, top: number): PlacedRoom {
  const spans = room.imports.map((imports) => spanOf(room, imports));
  const above = Math.max(0, ...spans.filter((span) => span > 0).map(arcHeight));
  const below = Math.max(0, ...spans.filter((span) => span < 0).map((span) => arcHeight(span) + 6));
  const foldersTop = top + 12 + above + (above > 0 ? 6 : 0);
  const folders = new Map<string, PlacedFolder>();
  let x = left;
  for (const { name, files } of room.folders) {
    const width = Math.max(textWidth(name, 13), textWidth(`${files} files`, 10)) + 20;
    folders.set(name, { center: x + width / 2, width });
    x += width + partGap;
  }
  const height = foldersTop - top + partHeight + below + captionHeight + 6;
  return { room, top, height, foldersTop, folders, width: x };
}

/** Where on a folder's edge an arc starts or ends. The longest is outermost, so arcs that share an end don't cross. */
function portOf({ room, folders }: PlacedRoom, imports: Imports, end: 'from' | 'to'): number {
  const isForward = spanOf(room, imports) > 1;
  const same = room.imports
    .filter(
      (other) => other[end] === imports[end] && spanOf(room, other) !== 1 && spanOf(room, other) > 1 === isForward,
    )
    .toSorted((one, other) => Math.abs(spanOf(room, other)) - Math.abs(spanOf(room, one)));
  const { center, width } = folders.get(imports[end]) ?? { center: 0, width: 0 };
  const inward = (end === 'from') === isForward ? 1 : -1;
  // From near the middle outwards, on the half that faces the other end.
  return center + inward * (3 + (same.indexOf(imports) / same.length) * (width / 2 - 8));
}

interface Drawn {
  line: string;
  label: string;
}

/** Neighbours are joined by a straight arrow, others by an arc. */
function drawPartArrow(placed: PlacedRoom, imports: Imports): Drawn {
  const { room, folders, foldersTop } = placed;
  const colour = imports.isCircular ? circular : imports.from === 'index.ts' ? face : allowed;
  const span = spanOf(room, imports);
  const label = (x: number, y: number): string =>
    `<g paint-order="stroke" stroke="${paper}" stroke-width="3">${text(String(imports.count), { x, y, size: 10, fill: colour, anchor: 'middle' })}</g>`;
  if (span === 1) {
    const from = folders.get(imports.from) ?? { center: 0, width: 0 };
    const to = folders.get(imports.to) ?? { center: 0, width: 0 };
    const y = foldersTop + partHeight / 2;
    const [start, end] = [from.center + from.width / 2, to.center - to.width / 2];
    return { line: arrow(`M${start} ${y}H${end}`, colour, imports), label: label((start + end) / 2, y - 5) };
  }
  const direction = span > 0 ? -1 : 1;
  const edge = span > 0 ? foldersTop : foldersTop + partHeight;
  const apex = edge + direction * arcHeight(span);
  const bend = edge + (direction * arcHeight(span) * 4) / 3;
  const [start, end] = [portOf(placed, imports, 'from'), portOf(placed, imports, 'to')];
  const line = arrow(`M${start} ${edge}C${start} ${bend} ${end} ${bend} ${end} ${edge}`, colour, imports);
  return { line, label: label((start + end) / 2, apex + 3) };
}

function drawRoom(placed: PlacedRoom, { imports }: Rooms, width: number): string {
  const { room, top, height, folders, foldersTop } = placed;
  const outgoing = imports.filter(({ from }) => from === room.name).toSorted((one, other) => other.count - one.count);
  const arrows = room.imports.map((one) => drawPartArrow(placed, one));
  const caption = outgoing.map(({ to, count }) => `${to} ${count}`).join(' · ');
  return [
    `<rect x="${margin}" y="${top}" width="${width - margin}" height="${height}" rx="8" fill="${paper}" stroke="#d5dde5"/>`,
    text(room.name, { x: margin + 16, y: foldersTop + 16, size: 15, bold: true }),
    text(filesOf(room.files), { x: margin + 16, y: foldersTop + 31, size: 10, fill: muted }),
    ...arrows.map(({ line }) => line),
    ...arrows.map(({ label }) => label),
    ...room.folders.flatMap(({ name, files }) => {
      const { center, width: folderWidth } = folders.get(name) ?? { center: 0, width: 0 };
      return [
        `<rect x="${center - folderWidth / 2}" y="${foldersTop}" width="${folderWidth}" height="${partHeight}" rx="5" fill="#fff" stroke="#9fb0c0"/>`,
        text(name, { x: center, y: foldersTop + 15, anchor: 'middle' }),
        text(filesOf(files), { x: center, y: foldersTop + 28, size: 10, fill: muted, anchor: 'middle' }),
      ];
    }),
    text(caption === '' ? 'imports no other module' : `imports ${caption}`, {
      x: left,
      y: top + height - 9,
      size: 11,
      fill: muted,
    }),
  ].join('\n');
}

function filesOf(count: number): string {
  return count === 1 ? '1 file' : `${count} files`;
}

function colourOf({ from, to, isCircular }: Imports): string {
  if (isCircular) return circular;
  return from === 'app' || everybodys.has(to) ? quiet : allowed;
}

/** Arrows between modules, on the right. They leave from the lower half of a band and arrive in the upper half. */
function drawRoomArrows(placed: readonly PlacedRoom[], imports: readonly Imports[], x: number): string {
  const order = placed.map(({ room }) => room.name);
  const at = (name: string): number => order.indexOf(name);
  const heightOf = (one: Imports, end: 'from' | 'to'): number => {
    const own = one[end];
    const other = end === 'from' ? 'to' : 'from';
    const same = imports
      .filter((candidate) => candidate[end] === own)
      // The nearest is innermost.
      .toSorted((a, b) => Math.abs(at(a[other]) - at(own)) - Math.abs(at(b[other]) - at(own)));
    const { top, height } = placed[at(own)] ?? { top: 0, height: 0 };
    const share = (same.indexOf(one) + 0.5) / same.length;
    return end === 'from' ? top + height * (0.95 - 0.4 * share) : top + height * (0.05 + 0.4 * share);
  };
  return imports
    .toSorted(
      (a, b) => [quiet, allowed, circular].indexOf(colourOf(a)) - [quiet, allowed, circular].indexOf(colourOf(b)),
    )
    .map((one) => {
      const [start, end] = [heightOf(one, 'from'), heightOf(one, 'to')];
      const bulge = x + 14 + (laneWidth * Math.abs(at(one.to) - at(one.from)) * 4) / 3;
      return arrow(`M${x} ${start}C${bulge} ${start} ${bulge} ${end} ${x + 2} ${end}`, colourOf(one), one);
    })
    .join('\n');
}

function legend(width: number): string {
  const lines = [
    'Each band is a module of service/src, and the boxes in it are its folders. An arrow points at what is imported,',
    'and more imports make it thicker. Imports run to the right and down. A circle of folders or modules is red.',
    'Grey arrows come from a module’s index.ts or from app, or point at platform, money or http, which most modules import.',
  ];
  return [
    text('Rooms of the service', { x: margin, y: 32, size: 18, bold: true }),
    ...lines.map((line, at) => text(line, { x: margin, y: 50 + 15 * at, size: 11, fill: muted })),
    `<line x1="${margin}" x2="${width - margin}" y1="${headerHeight}" y2="${headerHeight}" stroke="#e3e9ee"/>`,
  ].join('\n');
}

function draw(rooms: Rooms): string {
  const placed: PlacedRoom[] = [];
  let top = headerHeight + roomGap;
  for (const room of rooms.rooms) {
    const next = placeRoom(room, top);
    placed.push(next);
    top += next.height + roomGap;
  }
  const right = Math.max(...placed.map(({ width }) => width));
  const width = right + margin + laneWidth * rooms.rooms.length + 20;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" width="${width}" height="${top}" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif">`,
    `<defs>${Array.from(markers, ([colour, name]) => arrowMarker(name, colour)).join('')}</defs>`,
    `<rect width="${width}" height="${top}" fill="#fff"/>`,
    legend(width),
    drawRoomArrows(placed, rooms.imports, right),
    ...placed.map((one) => drawRoom(one, rooms, right)),
    '</svg>\n',
  ].join('\n');
}

const { values } = parseArgs({
  options: {
    checkout: { type: 'string', default: projectFolder },
    out: { type: 'string', default: path.join(projectFolder, 'docs/rooms.svg') },
  },
});
const rooms = await readRooms(path.resolve(values.checkout));
writeFileSync(values.out, draw(rooms));
const circles = [...rooms.imports, ...rooms.rooms.flatMap((room) => room.imports)].filter((one) => one.isCircular);
console.log(`${values.out}: ${rooms.rooms.length} modules, ${circles.length} arrows in circles`);
