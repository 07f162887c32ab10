// kelpie-admin migrate with the migrations of another folder, as a next version would bring them.
import { migrate } from '../../src/platform/database/migrate.ts';
import { createLogger } from '../../src/platform/logging.ts';

const [, , ownerUrl = '', folder = ''] = process.argv;
await migrate({ ownerUrl, now: new Date(), logger: createLogger('migrate', 'info'), folder: new URL(folder) });
