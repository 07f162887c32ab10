/** Debian's own browser, unless another is named. */
export const browserPath = process.env['E2E_BROWSER'] ?? '/usr/bin/chromium';

export const browserArguments = [
  // A browser that runs as root, as in a container, has no sandbox of its own.
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];
