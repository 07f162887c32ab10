/** How often each address was read. */
export interface RequestCounts {
  add(url: string): void;
  list(): readonly { url: string; times: number }[];
  clear(): void;
}

/** More than any test reads. */
const mostAddresses = 100_000;

/** In memory: it is about one run of the bank. */
export function createRequestCounts(): RequestCounts {
  const counts = new Map<string, number>();
  return {
    add(url) {
      if (counts.size < mostAddresses || counts.has(url)) counts.set(url, (counts.get(url) ?? 0) + 1);
    },
    list: () => [...counts].map(([url, times]) => ({ url, times })),
    clear: () => counts.clear(),
  };
}
