import { fileURLToPath } from 'node:url';

/** Where `npm run dashboard:build` puts the dashboard. */
export const dashboardFolder = fileURLToPath(new URL('../../../../dashboard/dist', import.meta.url));
