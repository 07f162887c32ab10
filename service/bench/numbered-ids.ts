/**
 * UUIDv7s of one instant that are counted through. pgbench can make them as well as we can, without asking a table first:
 * what it would spend on that is not what is measured.
 */
export interface NumberedIds {
  at(number: number): string;
  /** The same in SQL, where the number is the value of an expression. */
  sql(number: string): string;
}

/** The version's digit, and twelve bits that tell one series of an instant from another. */
const versionBits = 0x7000n;
const variantBit = 1n << 63n;
const variantSql = '(1::bigint << 63)';

export function numberIds(instant: Date, series: number): NumberedIds {
  const first = ((BigInt(instant.getTime()) << 16n) | versionBits | BigInt(series)).toString(16).padStart(16, '0');
  return {
    at(number) {
      const digits = first + (variantBit | BigInt(number)).toString(16);
      return [8, 12, 16, 20, 32].map((end, at, ends) => digits.slice(ends[at - 1] ?? 0, end)).join('-');
    },
    sql: (number) => `encode('\\x${first}'::bytea || int8send(${number} | ${variantSql}), 'hex')::uuid`,
  };
}

/** A UUIDv7 in SQL, of the milliseconds since 1970; its random bits are those of a number below 2^62. */
export function idSql(milliseconds: string, number: string): string {
  const first = `${milliseconds} << 16 | ${versionBits}`;
  return `encode(int8send(${first}) || int8send(${number} | ${variantSql}), 'hex')::uuid`;
}

/** The same of now. */
export function freshIdSql(number: string): string {
  return idSql(`(date_part('epoch', now()) * 1000)::bigint`, number);
}

/** Any UUID, in SQL. Index pages are met at random, as those of a digest are. */
export function scatteredIdSql(one: string, other: string): string {
  return `encode(int8send(${one}) || int8send(${other}), 'hex')::uuid`;
}
