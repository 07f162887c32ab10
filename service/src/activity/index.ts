// What was asked of us, by whom, and what we answered. It owns the list that a partner sees of its own requests; it keeps
// no part of what was sent. It also owns security events: who changed an account's access, and from where. What moves money is written by the commit that moves it, and only read here.
export { countSecurityEvents, recordActivity, recordSecurityEvent } from './store.ts';
export { createActivityRecorder, type ActivityRecorder } from './recorder.ts';
export { createSecurityRecorder, type SecurityRecorder } from './security-recorder.ts';
