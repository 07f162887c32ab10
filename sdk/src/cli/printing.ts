// How commands print: tables and sentences for people; with --json one document, or one per line where a command goes on.

/** Names and references come from elsewhere. In a terminal, control characters in them could hide or forge output. */
export function visible(text: string, except = ''): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, (character) => (except.includes(character) ? character : '?'));
}

export function print(json: boolean, value: object, text: string): void {
  process.stdout.write(json ? `${JSON.stringify(value)}\n` : text);
}

/** Notes and progress for people. Standard output stays free for results. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

export function table(names: readonly string[], rows: readonly (readonly string[])[], empty: string): string {
  if (rows.length === 0) return `${empty}\n`;
  const all = [names, ...rows.map((row) => row.map((cell) => visible(cell)))];
  const widths = names.map((_name, at) => Math.max(...all.map((row) => (row[at] ?? '').length)));
  const lines = all.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

/** Names and values below each other, for one resource. */
export function fields(pairs: readonly (readonly [name: string, value: string | null | undefined])[]): string {
  const shown = pairs.flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, value]]));
  const width = Math.max(...shown.map(([name = '']) => name.length));
  return shown.map(([name = '', value = '']) => `${name.padEnd(width)}  ${visible(value)}\n`).join('');
}

/** For example "2026-11-15 09:05:07Z". */
export function shortInstant(at: string): string {
  return `${at.slice(0, 19).replace('T', ' ')}Z`;
}

/** For example "1 row", "5,000 rows". */
export function counted(count: number, what: string): string {
  return `${count.toLocaleString('en-GB')} ${what}${count === 1 ? '' : 's'}`;
}

export function pounds(amount: string): string {
  return `${amount} GBP`;
}
