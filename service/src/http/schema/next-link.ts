import type { Caller } from '../auth/caller.ts';

/** How the address of a next page is described. */
export const nextLinkHeader = {
  type: 'string',
  description: 'The URL of the next page, with `rel="next"`. Absent on the last page.',
};

/**
 * The same page as was asked for, but from the cursor on. A person's names the environment, which a key's does not need; nor
 * does what is of both environments, where the caller is null.
 */
export function nextLink(
  address: string,
  { query, caller, cursor }: { query: Readonly<Record<string, unknown>>; caller: Caller | null; cursor: string },
): string {
  const { environment: _named, ...asked } = query;
  const named = caller?.via === 'dashboard' ? { environment: caller.environment } : {};
  const parameters: Record<string, unknown> = { ...named, ...asked, cursor };
  const texts = Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]);
  return `<${address}?${new URLSearchParams(texts).toString()}>; rel="next"`;
}
