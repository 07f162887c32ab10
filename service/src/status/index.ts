// The status page: how each component does now and did in the last 90 days, and the incidents that operators write about. It is shown
// also while the database is away. It names no partner.
export { createCircuitWatch } from './circuit-watch.ts';
export { components, type Component } from './components.ts';
export { createStatusWatch, type StatusWatch } from './watch-status.ts';
export {
  findIncident,
  listIncidents,
  openIncident,
  resolveIncident,
  updateIncident,
  type IncidentRow,
} from './admin/incident-store.ts';
