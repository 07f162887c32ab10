import { fileURLToPath } from 'node:url';

/** Where `npm run dashboard:build` puts the dashboard. */
export const dashboardFolder = fileURLToPath(new URL('../../../../dashboard/dist', import.meta.url));

/** Where `npm run docs:build` puts the docs for partners. */
export const docsFolder = fileURLToPath(new URL('../../../../docs-site/dist', import.meta.url));
