// Events: changes that partners can read, each with a number of its own. The commits that make a change leave it unnumbered; this
// module numbers it, and shows it.
export { createEventReader, type EventReader } from './event-reader.ts';
export { eventTypes, type EventType, type NumberedEvent } from './event.ts';
export { startNumbering } from './number-events.ts';
export { createEventWatches, watchLimits, type EventWatches } from './watch-events.ts';
