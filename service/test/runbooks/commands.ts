import { listPages, samplesOf, type Page } from '@kelpie/dev/docs/pages.ts';

/** A command of the operator's that a runbook has, in a block of its own or in a sentence. */
export interface RunbookCommand {
  /** As it stands there. */
  line: string;
  /** `payouts release`. */
  name: string;
  args: readonly string[];
}

const command = /^ *(?:sudo \S+ )?kelpie-admin (.*)$|`kelpie-admin ([^`]*)`/gm;
const words = /"([^"]*)"|(\S+)/g;
const commandName = /^[a-z-]+(?: [a-z]+)?(?=$| )/;

function parse(line: string): RunbookCommand {
  const args = Array.from(line.matchAll(words), ([, quoted, plain]) => quoted ?? plain ?? '');
  const [group = '', second = ''] = args;
  const name = commandName.exec([group, second].join(' ').trim())?.[0] ?? group;
  return { line, name: second.startsWith('-') ? group : name, args };
}

/** In their order on the page. */
export function commandsOf({ text }: Page): RunbookCommand[] {
  return Array.from(text.matchAll(command), ([, own, inText]) => parse(own ?? inText ?? ''));
}

/** Those in a sentence as well, unless they end something. */
export function queriesOf(page: Page): string[] {
  const blocks = samplesOf(page).filter(({ language }) => language === 'sql');
  const inText = Array.from(page.text.matchAll(/`(select [^`]*)`/g), ([, query = '']) => query);
  return [...blocks.map(({ code }) => code), ...inText.filter((query) => !query.includes('PID'))];
}

export function listRunbooks(): { name: string; page: Page }[] {
  return listPages()
    .filter(({ file }) => file.startsWith('docs/runbooks/') && !file.endsWith('README.md'))
    .map((page) => ({ name: page.file.replace(/^docs\/runbooks\/|\.md$/g, ''), page }));
}
