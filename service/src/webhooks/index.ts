// Webhooks: events are sent to addresses that partners choose, in order for each subject, and again until they are accepted.
export { createDeliveryMetrics } from './delivery-metrics.ts';
export { startDelivering } from './start-delivering.ts';
