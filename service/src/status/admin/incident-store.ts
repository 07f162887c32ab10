import type { Transaction } from '../../platform/database/transaction.ts';
import type { Component, Level } from '../components.ts';

export interface IncidentRow {
  id: string;
  title: string;
  impact: Level;
  components: Component[];
  openedAt: Date;
  resolvedAt: Date | null;
  updates: { at: string; text: string }[];
}

const select = `select i.id, i.title, i.impact, i.components::text[], i.opened_at as "openedAt", i.resolved_at as "resolvedAt", (
    select jsonb_agg(jsonb_build_object('at', u.at, 'text', u.text) order by u.number desc)
    from kelpie.status_updates u where u.incident_id = i.id
  ) as updates
  from kelpie.status_incidents i`;

/** Open ones first, then the newest. Runs as kelpie_reader. */
export async function listIncidents(
  tx: Transaction,
  { onlyOpen, atMost }: { onlyOpen: boolean; atMost: number },
): Promise<IncidentRow[]> {
  const { rows } = await tx.query<IncidentRow>(
    `${select} where not $1 or i.resolved_at is null
     order by i.resolved_at is null desc, i.opened_at desc, i.id limit $2`,
    [onlyOpen, atMost],
  );
  return rows;
}

/** Runs as kelpie_reader. */
export async function findIncident(tx: Transaction, id: string): Promise<IncidentRow | null> {
  const { rows } = await tx.query<IncidentRow>(`${select} where i.id = $1`, [id]);
  return rows[0] ?? null;
}

interface NewIncident {
  id: string;
  title: string;
  impact: string;
  components: readonly Component[];
  text: string;
  at: Date;
}

/** The database refuses it unless this transaction has recorded the act. */
export async function openIncident(tx: Transaction, incident: NewIncident): Promise<void> {
  const { id, title, impact, components, text, at } = incident;
  await tx.query('select kelpie.operator_open_incident($1, $2, $3, $4, $5, $6)', [
    id,
    title,
    impact,
    components,
    text,
    at,
  ]);
}

interface IncidentNews {
  id: string;
  text: string;
  at: Date;
}

/** A null impact leaves it. Returns false if it is not open. The database refuses it unless this transaction has recorded the act. */
export async function updateIncident(
  tx: Transaction,
  { id, text, impact, at }: IncidentNews & { impact: string | null },
): Promise<boolean> {
  const { rows } = await tx.query<{ done: boolean }>('select kelpie.operator_update_incident($1, $2, $3, $4) as done', [
    id,
    text,
    impact,
    at,
  ]);
  return rows[0]?.done ?? false;
}

/** Returns false if it is not open. The database refuses it unless this transaction has recorded the act. */
export async function resolveIncident(tx: Transaction, { id, text, at }: IncidentNews): Promise<boolean> {
  const { rows } = await tx.query<{ done: boolean }>('select kelpie.operator_resolve_incident($1, $2, $3) as done', [
    id,
    text,
    at,
  ]);
  return rows[0]?.done ?? false;
}
