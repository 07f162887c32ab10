// The api process: answers partners and the dashboard. Any number of them run side by side.
import { serveApi } from './serve-api.ts';

await serveApi();
