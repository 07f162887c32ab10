import type { Queue } from '../../src/platform/jobs/jobs.ts';

export const recording: Queue = { name: 'recording', retryLimit: 3 };

/** The advisory lock that the job waits for. */
export const recordingLock = 4_711;
