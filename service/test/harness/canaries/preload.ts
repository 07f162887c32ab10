// `node --import`: before a test file is loaded (dev/test.ts).
import { watchLogs } from './log-watch.ts';

watchLogs();
