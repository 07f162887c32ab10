// The image's health check: whether the api in this container is ready, or the worker.
import { readFileSync } from 'node:fs';

const isWorker = readFileSync('/proc/1/cmdline', 'utf8').includes('worker.mjs');
const port = isWorker ? process.env['KELPIE_METRICS_PORT'] || '9464' : process.env['KELPIE_API_PORT'] || '4000';
const { status } = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2_500) });
process.exit(status === 200 ? 0 : 1);
