/** Something that a person should look at. */
export interface AttentionItem {
  id: string;
  text: string;
  detail: string;
  to: string;
}
