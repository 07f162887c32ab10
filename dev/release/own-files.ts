/** What is installed as a program: its name, and the file that it begins with. */
export const programs = {
  api: 'service/src/app/api.ts',
  worker: 'service/src/app/worker.ts',
  'kelpie-admin': 'service/src/app/cli.ts',
} as const;

/** Released apart from the product. */
export const bankProgram = { 'sandbox-bank': 'sandbox-bank/src/main.ts' } as const;

const fontsOf = (name: string, file: string): string[] =>
  ['package.json', 'LICENSE', `files/${file}.woff2`].map(
    (each) => `service/node_modules/@fontsource-variable/${name}/${each}`,
  );

/**
 * Which files each source reads, beside what is bundled. A release has them at the same place below its folder as they have
 * in the project. They are read at the start only: a package is replaced under processes that go on for minutes.
 */
export const ownFiles: Readonly<Record<string, readonly string[]>> = {
  'service/src/platform/database/migrations.ts': ['service/database'],
  'service/src/app/wiring/built-pages.ts': ['dashboard/dist', 'docs-site/dist'],
  'service/src/billing/pdf/sheet.ts': ['service/src/billing/pdf/fonts'],
  'service/src/http/reference/brand.ts': [
    ...fontsOf('inter', 'inter-latin-wght-normal'),
    ...fontsOf('jetbrains-mono', 'jetbrains-mono-latin-wght-normal'),
  ],
};

export const bankFiles: Readonly<Record<string, readonly string[]>> = {
  'sandbox-bank/src/database.ts': ['sandbox-bank/schema.sql'],
};
