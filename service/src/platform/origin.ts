/** Where a request came from, as far as we store it: never the whole address, and only the family of the browser. */
export interface Origin {
  /** /24 in IPv4, /64 in IPv6. Null where the address is unknown. */
  network: string | null;
  browser: string | null;
}
