import { getDocument, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** What a person and a screen reader find in a PDF. */
export interface ReadPdf {
  /** The text of each page, in the order in which it was put there. */
  pages: string[];
  /** All of it. */
  text: string;
  info: Record<string, unknown>;
  lang: string | null;
  /** What parts of it are said to be. */
  roles: ReadonlySet<string>;
  fonts: { name: string; isEmbedded: boolean }[];
}

function rolesIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const role: unknown = Reflect.get(node, 'role');
  const children: unknown = Reflect.get(node, 'children');
  return [...(typeof role === 'string' ? [role] : []), ...(Array.isArray(children) ? children.flatMap(rolesIn) : [])];
}

async function readPage(pdf: PDFDocumentProxy, number: number): Promise<{ text: string; roles: string[] }> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent();
  const text = items.map((item) => ('str' in item ? item.str : '')).join(' ');
  return { text: text.replaceAll(/\s+/g, ' ').trim(), roles: rolesIn(await page.getStructTree()) };
}

/** By name, as the file itself says: each font program stands in the file, or not. */
function fontsIn(file: Buffer): ReadPdf['fonts'] {
  const objects = file.toString('latin1').split('endobj');
  return objects
    .filter((object) => object.includes('/Type /FontDescriptor'))
    .map((object) => ({
      name: /\/FontName \/(\S+)/.exec(object)?.[1] ?? '',
      isEmbedded: /\/FontFile[23]? \d+ 0 R/.test(object),
    }));
}

export async function readPdf(file: Buffer): Promise<ReadPdf> {
  const loading = getDocument({ data: new Uint8Array(file), verbosity: 0 });
  try {
    const pdf = await loading.promise;
    const read = [];
    for (let number = 1; number <= pdf.numPages; number += 1) read.push(await readPage(pdf, number));
    const { info } = await pdf.getMetadata();
    const lang = /\/Lang \(([^)]*)\)/.exec(file.toString('latin1'))?.[1] ?? null;
    const pages = read.map(({ text }) => text);
    return {
      pages,
      text: pages.join('\n'),
      info: Object.fromEntries(Object.entries(info)),
      lang,
      roles: new Set(read.flatMap(({ roles }) => roles)),
      fonts: fontsIn(file),
    };
  } finally {
    await loading.destroy();
  }
}
