const notNames = new Set(['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan']);

/** The metrics that a PromQL expression asks for, in their order. The expression must be valid. */
export function metricNamesOf(expression: string): string[] {
  const plain = expression
    .replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '')
    .replaceAll(/#.*$/gm, '')
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/gi, ' ')
    .replaceAll(/\b(?:group_left|group_right)\b/gi, ' ')
    .replaceAll(/\boffset\s+-?\w+/gi, ' ');
  const names = Array.from(plain.matchAll(/(?<![\w.:])([a-zA-Z_:][\w:]*)(?!\s*\(|[\w:])/g), ([, name = '']) => name);
  return [...new Set(names.filter((name) => !notNames.has(name.toLowerCase())))];
}
