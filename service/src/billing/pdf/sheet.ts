import { readFileSync } from 'node:fs';

// The paper, and how something is put on it: pdfkit wrapped once. Positions and sizes are in points from the upper left.

function readFont(name: string): Buffer {
  return readFileSync(new URL(`fonts/${name}.ttf`, import.meta.url));
}

/**
 * Their figures are all of one width, so that columns of them stand straight: fonts/README.md says how they were made. Read at
 * the start, as all that a release can replace.
 */
const fonts = { regular: readFont('Inter-Regular'), semibold: readFont('Inter-SemiBold') } as const;

const colours = { ink: '#0b1f24', soft: '#51666a', tide: '#0f6e6e', hairline: '#d5dedc' } as const;

/** A4, with margins to hold it by. */
export const page = { width: 595.28, height: 841.89, margin: 56 } as const;
export const inner = {
  left: page.margin,
  right: page.width - page.margin,
  width: page.width - 2 * page.margin,
} as const;

/** What a screen reader is told a text is. */
type Role = 'H1' | 'H2' | 'P' | 'TH' | 'TD' | 'Span';

export interface TextStyle {
  size: number;
  weight?: keyof typeof fonts;
  colour?: keyof typeof colours;
}

interface Box {
  x: number;
  y: number;
  width: number;
  align?: 'left' | 'right';
}

/** A group of what belongs together, as a table or a row of one. */
export interface Group {
  text(role: Role, text: string, box: Box, style: TextStyle): void;
  group(kind: 'Sect' | 'Table' | 'TR'): Group;
}

export interface Sheet extends Group {
  heightOf(text: string, width: number, style: TextStyle): number;
  hairline(y: number, colour?: keyof typeof colours): void;
  /** Drawn from SVG path data of 24 by 24, for the eye alone. */
  mark(path: string, box: { x: number; y: number; size: number }): void;
  addPage(): void;
  /** What stands at the foot of every page, once all of them are there. */
  eachPage(
    draw: (put: (text: string, box: Box, style: TextStyle) => void, at: { number: number; of: number }) => void,
  ): void;
  finish(): Promise<Buffer>;
}

interface SheetWords {
  title: string;
  author: string;
  subject: string;
  /** The same invoice is the same file: nothing of when it was drawn is in it. */
  date: Date;
}

const lineGap = 2;

/** The library comes with the first sheet: to load it takes a quarter of what a process needs to start. */
export async function openSheet({ title, author, subject, date }: SheetWords): Promise<Sheet> {
  const { default: PdfKit } = await import('pdfkit');
  const doc = new PdfKit({
    size: [page.width, page.height],
    // Ours to keep: the library would break a page in the middle of a row.
    margin: 0,
    bufferPages: true,
    pdfVersion: '1.7',
    tagged: true,
    lang: 'en-GB',
    displayTitle: true,
    // None: the library would read its own Helvetica from a file.
    font: '',
    info: { Title: title, Author: author, Subject: subject, Creator: 'Kelpie', CreationDate: date, ModDate: date },
  });
  for (const [name, font] of Object.entries(fonts)) doc.registerFont(name, font);
  const chunks: Buffer[] = [];
  doc.on('data', (chunk: Buffer) => chunks.push(chunk));
  const whole = new Promise<Buffer>((resolve, reject) => {
    doc.on('end', () => resolve(Buffer.concat(chunks)));
    doc.on('error', reject);
  });
  const root = doc.struct('Document');
  doc.addStructure(root);

  const styled = ({ size, weight = 'regular', colour = 'ink' }: TextStyle): PDFKit.PDFDocument =>
    doc.font(weight).fontSize(size).fillColor(colours[colour]);
  const put = (text: string, { x, y, width, align = 'left' }: Box, style: TextStyle): void => {
    styled(style).text(text, x, y, { width, align, lineGap });
  };
  /** For the eye alone: a screen reader passes over it. */
  const asArtifact = (type: 'Layout' | 'Pagination', draw: () => void): void => {
    doc.markContent('Artifact', { type });
    draw();
    doc.endMarkedContent();
  };
  const groupOf = (element: PDFKit.PDFStructureElement): Group => ({
    text: (role, text, box, style) => void element.add(doc.struct(role, {}, () => put(text, box, style))),
    group(kind) {
      const inside = doc.struct(kind);
      element.add(inside);
      return groupOf(inside);
    },
  });
  return {
    ...groupOf(root),
    heightOf: (text, width, style) => styled(style).heightOfString(text, { width, lineGap }),
    hairline(y, colour = 'hairline') {
      asArtifact('Layout', () =>
        doc.moveTo(inner.left, y).lineTo(inner.right, y).lineWidth(0.6).strokeColor(colours[colour]).stroke(),
      );
    },
    mark(path, { x, y, size }) {
      asArtifact('Layout', () =>
        doc
          .save()
          .translate(x, y)
          .scale(size / 24)
          .path(path)
          .lineWidth(2.6)
          .lineCap('round')
          .lineJoin('round')
          .strokeColor(colours.tide)
          .stroke()
          .restore(),
      );
    },
    addPage: () => void doc.addPage(),
    eachPage(draw) {
      const { count } = doc.bufferedPageRange();
      for (let at = 0; at < count; at += 1) {
        doc.switchToPage(at);
        asArtifact('Pagination', () => draw(put, { number: at + 1, of: count }));
      }
    },
    async finish() {
      root.end();
      doc.end();
      return whole;
    },
  };
}
