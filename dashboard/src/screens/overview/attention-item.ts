/** `urgent`: money or payouts are at risk. `warning`: something did not go as planned. `info`: a step to take some time. */
export type AttentionLevel = 'urgent' | 'warning' | 'info';

/** Something that a person should look at. */
export interface AttentionItem {
  id: string;
  level: AttentionLevel;
  text: string;
  detail: string;
  to: string;
}
