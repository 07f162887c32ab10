const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1']);

export function isLoopback(hostname: string): boolean {
  return loopback.has(hostname);
}

/**
 * The origins of the dashboard's pages. One alone, except on one's own machine: that has two names, and browsers have
 * passkeys for `localhost` only.
 */
export function ownOriginsOf(dashboardUrl: string): string[] {
  const { protocol, hostname, port, origin } = new URL(dashboardUrl);
  if (!isLoopback(hostname)) return [origin];
  const suffix = port === '' ? '' : `:${port}`;
  const others = [...loopback].filter((name) => name !== hostname);
  return [origin, ...others.map((name) => `${protocol}//${name}${suffix}`)];
}
