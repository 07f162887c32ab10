import { samplesOf, type CodeSample, type Page } from './pages.ts';

/** What proves a code block of the docs for partners. */
export type Proof =
  | { kind: 'run'; language: 'sh' | 'ts' | 'python' }
  /** It is saved under its name, and a command of the page uses it. */
  | { kind: 'file'; language: string; name: string }
  /** It fits a schema of openapi.json. */
  | { kind: 'schema'; schema: string }
  /** It is what the block before it prints. */
  | { kind: 'output' }
  | { kind: 'none' };

export interface Block {
  /** For people: the place in the page, and the line after the fence. */
  name: string;
  code: string;
  proof: Proof;
}

export function isPartnerPage({ file }: Pick<Page, 'file'>): boolean {
  return file.startsWith('docs/partners/');
}

function proofOf({ language, mode }: CodeSample, later: readonly CodeSample[]): Proof {
  if (mode === 'run' && (language === 'sh' || language === 'ts' || language === 'python'))
    return { kind: 'run', language };
  if (language === 'json' && /^[A-Z]\w+$/.test(mode)) return { kind: 'schema', schema: mode };
  if (language === 'text' && mode === 'output') return { kind: 'output' };
  const isUsed = later.some((sample) => sample.language === 'sh' && sample.code.includes(mode));
  return /^[\w-]+\.\w+$/.test(mode) && isUsed ? { kind: 'file', language, name: mode } : { kind: 'none' };
}

/** The blocks of a page, in their order. */
export function blocksOf(page: Page): Block[] {
  const samples = samplesOf(page);
  return samples.map((sample, place) => ({
    name: `${page.file} block ${place + 1} (${`${sample.language} ${sample.mode}`.trim()})`,
    code: sample.code,
    proof: proofOf(sample, samples.slice(place + 1)),
  }));
}
