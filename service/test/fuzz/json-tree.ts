/** JSON as it is written, not as it is read: a field can be there twice, and a number can be too large for any type. */
export type JsonTree =
  | { kind: 'object'; fields: JsonField[] }
  | { kind: 'array'; items: JsonTree[] }
  /** As it will stand in the text, quotes and all. */
  | { kind: 'text'; json: string };

export interface JsonField {
  /** With its quotes. */
  name: string;
  value: JsonTree;
}

export function treeOf(value: unknown): JsonTree {
  if (Array.isArray(value)) return { kind: 'array', items: value.map(treeOf) };
  if (typeof value !== 'object' || value === null) return { kind: 'text', json: JSON.stringify(value) ?? 'null' };
  const fields = Object.entries(value).map(([name, part]) => ({ name: JSON.stringify(name), value: treeOf(part) }));
  return { kind: 'object', fields };
}

export function writeJson(tree: JsonTree): string {
  switch (tree.kind) {
    case 'object':
      return `{${tree.fields.map(({ name, value }) => `${name}:${writeJson(value)}`).join(',')}}`;
    case 'array':
      return `[${tree.items.map(writeJson).join(',')}]`;
    case 'text':
      return tree.json;
  }
}
