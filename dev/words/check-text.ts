import { TextlintKernel, type TextlintKernelOptions } from '@textlint/kernel';
import markdownPlugin from '@textlint/textlint-plugin-markdown';
import { allowed, avoided } from './avoid.ts';
import { readMarkdown, readOpenApi, readSource, type Prose } from './read-texts.ts';

export interface Finding {
  file: string;
  line: number;
  message: string;
}

type RuleModule = NonNullable<TextlintKernelOptions['rules']>[number]['rule'];

/** Looks at text only: Markdown's code and addresses are other nodes. */
const avoidWords: RuleModule = (context) => {
  const { Syntax, RuleError, report, getSource, locator } = context;
  return {
    [Syntax.Str](node) {
      const text = getSource(node).replaceAll('\n', ' ');
      for (const { words, use } of avoided) {
        for (const found of text.matchAll(new RegExp(words.source, `${words.flags}g`))) {
          const [match] = found;
          const padding = locator.range([found.index, found.index + match.length]);
          report(node, new RuleError(`"${match.trim()}" → ${use}`, { padding }));
        }
      }
    },
  };
};

const kernel = new TextlintKernel();
const options: Omit<TextlintKernelOptions, 'filePath'> = {
  ext: '.md',
  plugins: [{ pluginId: 'markdown', plugin: markdownPlugin.default ?? markdownPlugin, options: true }],
  rules: [{ ruleId: 'avoid-words', rule: avoidWords }],
};

function read(file: string, source: string): Prose {
  if (file.endsWith('.md')) return readMarkdown(source);
  return file.endsWith('.json') ? readOpenApi(source) : readSource(file, source);
}

/** Parsing Markdown is slow, and most files have none of the words. */
function mayHaveAny(markdown: string): boolean {
  const text = markdown.replaceAll(/(?<=\S)\n(?=\S)/g, ' ');
  return avoided.some(({ words }) => new RegExp(words.source, `${words.flags}m`).test(text));
}

function isAllowed(file: string, line: string): boolean {
  return allowed.some(({ path, text }) => file.startsWith(path) && text.test(line));
}

/** The words to avoid in one file, with the line of each. */
export async function checkWords(file: string, source: string): Promise<Finding[]> {
  const { markdown, lineOf } = read(file, source);
  if (!mayHaveAny(markdown)) return [];
  const { messages } = await kernel.lintText(markdown, { ...options, filePath: file });
  const lines = markdown.split('\n');
  return messages
    .filter(({ loc }) => !isAllowed(file, lines[loc.start.line - 1] ?? ''))
    .map(({ message, loc }) => ({ file, line: lineOf(loc.start.line), message }));
}
