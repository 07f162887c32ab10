import { arrayLiteral } from './array-literal.ts';
import type { Call } from './single-call.ts';

/** One array that a function of the database takes: an element for each item. */
interface Column<Item> {
  sqlType: string;
  of: (item: Item) => unknown;
}

/** The arrays of a function by the names of its arguments. */
export type Columns<Item> = Readonly<Record<string, Column<Item>>>;

type Nullable<Value> = Value | null | undefined;

/** A constructor for each type of column: a value of another type does not compile. */
function columnOf<Value>(sqlType: string) {
  return <Item>(of: (item: Item) => Nullable<Value>): Column<Item> => ({ sqlType, of });
}

export const uuid = columnOf<string>('uuid');
export const text = columnOf<string>('text');
export const integer = columnOf<number>('integer');
export const smallint = columnOf<number>('smallint');
export const bigint = columnOf<bigint>('bigint');
export const boolean = columnOf<boolean>('boolean');
export const bytea = columnOf<Buffer>('bytea');
export const timestamptz = columnOf<Date>('timestamptz');
/** An enum of our schema. */
export function enumOf<Value extends string>(name: string) {
  return columnOf<Value>(`kelpie.${name}`);
}

/** Calls a function that writes many rows, every argument by its name: their order does not matter and none can be left out. */
export function batchCall(name: string, ...lists: readonly Readonly<Record<string, { sqlType: string }>>[]): Call {
  const columns = lists.flatMap((list) => Object.entries(list));
  const args = columns.map(([argument, { sqlType }], at) => `${argument} => $${at + 1}::${sqlType}[]`);
  return { name, text: `select * from kelpie.${name}(${args.join(', ')})`, writes: true };
}

/** The values of a list of columns, in the order in which `batchCall` names them. */
export function batchValues<Item>(columns: Columns<Item>, items: readonly Item[]): string[] {
  return Object.values(columns).map(({ of }) => arrayLiteral(items.map(of)));
}
