/** One statement of an SQL file. */
export interface Statement {
  /** Without comments and semicolon, on one line. */
  sql: string;
  /** As it is in the file, with the comments before it and the one on its last line. */
  source: string;
}

const token = /--[^\n]*|\/\*[^]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$\w*\$)[^]*?\1|\s+|\w+|[^]/y;
const restOfLine = /[ \t]*(?:--[^\n]*)?/y;

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

function isBlank(part: string): boolean {
  return part.startsWith('--') || part.startsWith('/*') || part.trim() === '';
}

/** A semicolon in a comment, a string, a quoted name or a dollar-quoted body ends nothing. */
export function splitStatements(text: string): Statement[] {
  const statements: Statement[] = [];
  let sql = '';
  let begin = 0;
  const close = (end: number): void => {
    if (sql.trim() !== '') statements.push({ sql: sql.trim(), source: text.slice(begin, end) });
    sql = '';
    begin = end;
  };
  for (let at = 0; at < text.length;) {
    const part = matchAt(token, text, at);
    at += part.length;
    if (part === ';') close(at + matchAt(restOfLine, text, at).length);
    else if (!isBlank(part)) sql += part;
    else if (!sql.endsWith(' ')) sql += ' ';
  }
  close(text.length);
  return statements;
}
